// A graph as a picture.
#ifndef TESSERA_TOOLS_VIEWS_SVG_H_
#define TESSERA_TOOLS_VIEWS_SVG_H_

#include <string>
#include <string_view>

#include "tools/views/graph_view.h"

namespace tessera::views {

// The rules that the classes of a picture mean.
std::string_view SvgStyle();

// A document of its own, with the style inside.
std::string ToSvg(const GraphView& graph);
// The same for a page that has the style. Ids of nodes begin with `prefix`.
std::string ToInlineSvg(const GraphView& graph, const std::string& prefix);

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_SVG_H_
