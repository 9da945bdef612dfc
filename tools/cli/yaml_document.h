// Configurations are one YAML document each.
#ifndef TESSERA_TOOLS_CLI_YAML_DOCUMENT_H_
#define TESSERA_TOOLS_CLI_YAML_DOCUMENT_H_

#include <string>

#include "yaml-cpp/yaml.h"

namespace tessera::cli {

// Its root; null where the text is empty. Throws YAML::Exception, with the place: no YAML, or a
// second document.
YAML::Node ReadYamlDocument(const std::string& text);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_YAML_DOCUMENT_H_
