#include "testing/tampering/tamperer.h"

#include <utility>

#include "recheck/recheck.h"
#include "solver/certificate/smtlib.h"

namespace tessera::testing {
namespace {

using Json = nlohmann::ordered_json;

void Collect(const Json& json, const Json::json_pointer& at,
             std::vector<Json::json_pointer>& places) {
  if (!at.empty()) places.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) Collect(value, at / key, places);
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) Collect(json[i], at / i, places);
  }
}

}  // namespace

std::vector<Json::json_pointer> PlacesOf(const Json& json) {
  std::vector<Json::json_pointer> places;
  Collect(json, Json::json_pointer(), places);
  return places;
}

bool GoesWithoutSaying(const certificate::Obligation& o) {
  return o.stage != "import" || o.id == "equal.normal" || o.id == "size.result" ||
         o.id.compare(0, 8, "decided.") == 0;
}

std::string Claims(certificate::Certificate certificate) {
  certificate.model.file.clear();
  std::erase_if(certificate.obligations, [](const certificate::Obligation& o) {
    return o.stage != "import" || o.id.starts_with("equal.") || o.id.starts_with("decided.") ||
           o.id == "size.result" || o.id == "positive.divisor";
  });
  for (certificate::Obligation& o : certificate.obligations) {
    o.smt2.clear();
  }
  for (certificate::ListedOperation& operation : certificate.operations) {
    operation.obligations.clear();
    for (certificate::ListedTensor& result : operation.results) result.elements.reset();
  }
  return certificate::WriteCertificate(certificate);
}

bool IsInOtherWords(const std::string& model, const certificate::Certificate& original,
                    const certificate::Certificate& changed) {
  const auto before = recheck::Recheck(model, original), after = recheck::Recheck(model, changed);
  return before.ok() && after.ok() && after->unstated.size() > before->unstated.size();
}

Tamperer::Tamperer(const Json& json, uint32_t seed)
    : json_(json), places_(PlacesOf(json)), random_(seed) {
  for (const Json::json_pointer& place : places_) {
    const Json& value = json[place];
    if (value.is_string()) texts_.push_back(value.get<std::string>());
  }
}

Json Tamperer::Change() {
  Json changed = json_;
  const Json::json_pointer place = places_[Below(places_.size())];
  Json& value = changed[place];
  Json& parent = changed[place.parent_pointer()];
  switch (Below(4)) {
    case 0:
      if (parent.is_array()) {
        parent.erase(static_cast<size_t>(std::stoul(place.back())));
      } else {
        parent.erase(place.back());
      }
      return changed;
    case 1:
      if (parent.is_array()) {
        const Json copy = value;
        parent.push_back(copy);
        return changed;
      }
      break;
    case 2:
      if (parent.is_array() && parent.size() > 1) {
        std::swap(value, parent[Below(parent.size())]);
        return changed;
      }
      break;
    default:
      break;
  }
  if (value.is_number()) {
    value = value.get<int64_t>() + static_cast<int64_t>(Below(5)) - 2;
  } else if (value.is_string()) {
    std::string text = value.get<std::string>();
    if (Below(2) == 0 || text.empty()) {
      text = texts_[Below(texts_.size())];
    } else {
      text[Below(text.size())] = "HW0123456789+-*()<>= "[Below(21)];
    }
    value = text;
  } else {
    value = value.is_array() ? Json::array() : Json::object();
  }
  return changed;
}

int EachOtherClaim(const certificate::Certificate& original, int changes, uint32_t seed,
                   const std::function<void(const certificate::Certificate&)>& check) {
  const Json json = Json::parse(certificate::WriteCertificate(original));
  const std::string claims = Claims(original);
  Tamperer tamperer(json, seed);
  int found = 0;
  for (int i = 0; i < changes; ++i) {
    const auto changed = certificate::ReadCertificate(tamperer.Change().dump());
    if (!changed.ok()) continue;
    certificate::Certificate completed = *changed;
    if (!certificate::FillSmtLib(completed).ok()) completed = *changed;
    if (Claims(completed) == claims) continue;
    ++found;
    check(completed);
  }
  return found;
}

std::string Difference(const certificate::Certificate& original,
                       const certificate::Certificate& changed) {
  return Json::diff(Json::parse(certificate::WriteCertificate(original)),
                    Json::parse(certificate::WriteCertificate(changed)))
      .dump();
}

}  // namespace tessera::testing
