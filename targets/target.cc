#include "targets/target.h"

#include "targets/size_facts.h"

namespace tessera::targets {

std::string Serialized::Join() const {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size));
  for (std::string_view piece : pieces) bytes += piece;
  return bytes;
}

std::string Artifact::SizeFacts() const {
  const auto facts = metadata().find(kSizeFactsName);
  return facts == metadata().end() ? "" : facts->second;
}

}  // namespace tessera::targets
