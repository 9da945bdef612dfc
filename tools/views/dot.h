// A graph in the language of Graphviz.
#ifndef TESSERA_TOOLS_VIEWS_DOT_H_
#define TESSERA_TOOLS_VIEWS_DOT_H_

#include <string>

#include "tools/views/graph_view.h"

namespace tessera::views {

std::string ToDot(const GraphView& graph, const std::string& name);

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_DOT_H_
