// One page that tells what the passes made of a network: self-contained HTML, to be opened from a
// file. It works without scripts; its own add zoom, search and the neighbours of a node.
#ifndef TESSERA_TOOLS_VIEWS_REPORT_H_
#define TESSERA_TOOLS_VIEWS_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/views/graph_view.h"

namespace tessera::views {

// The graph as it was imported, or what one pass made of it.
struct Step {
  std::string name, doc;
  double milliseconds = 0;
  int64_t rewrites = 0;
  size_t operations = 0;  // after it
  bool changed = false;
  GraphView graph;  // after it, marked with what changed; empty unless `changed`
  std::vector<RemovedNode> removed;
  // Of a pass: the parts that it reads and writes; what was checked to hold after it, and what it
  // broke.
  std::string reads, writes;
  std::vector<std::string> checked, broken;
};

// A constraint that the expressions alone did not decide.
struct Proof {
  std::string stage;  // when it was met: `import`, or a target
  ObligationView obligation;
  bool guarded = false;  // not proved: the artifact checks it at run time
};

struct Report {
  std::string title;        // the model's name
  std::vector<Step> steps;  // the first is the import
  std::vector<Proof> proofs;
  std::string failure;  // how it ended; empty: well
};

std::string ToHtml(const Report& report);

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_REPORT_H_
