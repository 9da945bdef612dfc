// Numbers as bars, one below the other.
#ifndef TESSERA_REPORT_BARS_H_
#define TESSERA_REPORT_BARS_H_

#include <string>
#include <vector>

namespace tessera::report {

struct Bar {
  std::string name, label;  // the label stands behind the bar
  double value = 0;         // below 0 counts as 0
};

// An `svg` element; the longest bar is that of the greatest value.
std::string BarsSvg(const std::vector<Bar>& bars);

}  // namespace tessera::report

#endif  // TESSERA_REPORT_BARS_H_
