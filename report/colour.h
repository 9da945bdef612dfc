// Colours that follow from names, so that a thing has the same one in every picture.
#ifndef TESSERA_REPORT_COLOUR_H_
#define TESSERA_REPORT_COLOUR_H_

#include <string_view>

namespace tessera::report {

// In degrees, below 360.
int HueOf(std::string_view name);

}  // namespace tessera::report

#endif  // TESSERA_REPORT_COLOUR_H_
