// For tests: whether text is well-formed XML, of the kind that reports and views write (no
// namespaces, no CDATA). The contents of `script` and `style` are not looked at, as in HTML.
#ifndef TESSERA_REPORT_XML_CHECK_H_
#define TESSERA_REPORT_XML_CHECK_H_

#include <string>
#include <string_view>

namespace tessera::report {

// The first problem and the text around it; empty: none.
std::string XmlProblem(std::string_view text);

}  // namespace tessera::report

#endif  // TESSERA_REPORT_XML_CHECK_H_
