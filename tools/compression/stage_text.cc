#include "tools/compression/stage_text.h"

#include <cstdint>
#include <utility>

#include "nlohmann/json.hpp"

namespace tessera::tools {
namespace {

using Json = nlohmann::json;

// CBOR keeps every double as it is, also one that is no number, and bytes as bytes.
std::string ToText(const Json& json) {
  const std::vector<uint8_t> bytes = Json::to_cbor(json);
  return {bytes.begin(), bytes.end()};
}

Json Parse(std::string_view bytes) {
  return Json::from_cbor(bytes.begin(), bytes.end(), /*strict=*/true, /*allow_exceptions=*/false);
}

bool AreTexts(const Json& list) {
  if (!list.is_array()) return false;
  for (const Json& item : list) {
    if (!item.is_string()) return false;
  }
  return true;
}

// A list of a kind, item by item: `s` a text, `n` a number.
bool Is(const Json& list, std::string_view kinds) {
  if (!list.is_array() || list.size() != kinds.size()) return false;
  for (size_t k = 0; k < kinds.size(); ++k) {
    if (!(kinds[k] == 's' ? list[k].is_string() : list[k].is_number())) return false;
  }
  return true;
}

}  // namespace

std::string ToBytes(const StageResult& stage) {
  Json controllers = Json::array();
  for (const auto& controller : stage.controllers) {
    Json layers = Json::array();
    for (const compression::LayerReport& layer : controller->Statistics())
      layers.push_back(Json::array({layer.scope, layer.what, layer.reason, layer.bytes_before,
                                    layer.bytes_after, layer.snr, layer.saturated}));
    controllers.push_back(Json::array({controller->Summary(), std::move(layers)}));
  }
  return ToText(Json::array({Json::binary({stage.model.begin(), stage.model.end()}), stage.commands,
                             stage.merged, std::move(controllers)}));
}

std::string ToBytes(const std::vector<Quality>& qualities) {
  Json list = Json::array();
  for (const Quality& q : qualities)
    list.push_back(
        Json::array({q.output, q.snr, q.worst, q.varying, q.largest, q.samples, q.available}));
  return ToText(list);
}

std::optional<StageResult> StageOf(std::string_view bytes) {
  const Json json = Parse(bytes);
  if (!json.is_array() || json.size() != 4 || !json[0].is_binary() || !AreTexts(json[1]) ||
      !AreTexts(json[2]) || !json[3].is_array())
    return std::nullopt;
  StageResult stage;
  stage.model.assign(json[0].get_binary().begin(), json[0].get_binary().end());
  stage.commands = json[1].get<std::vector<std::string>>();
  stage.merged = json[2].get<std::vector<std::string>>();
  for (const Json& controller : json[3]) {
    if (!controller.is_array() || controller.size() != 2 || !controller[0].is_string() ||
        !controller[1].is_array())
      return std::nullopt;
    std::vector<compression::LayerReport> layers;
    for (const Json& layer : controller[1]) {
      if (!Is(layer, "sssnnnn")) return std::nullopt;
      compression::LayerReport report;
      report.scope = layer[0].get<std::string>();
      report.what = layer[1].get<std::string>();
      report.reason = layer[2].get<std::string>();
      report.bytes_before = layer[3].get<int64_t>();
      report.bytes_after = layer[4].get<int64_t>();
      report.snr = layer[5].get<double>();
      report.saturated = layer[6].get<double>();
      layers.push_back(std::move(report));
    }
    stage.controllers.push_back(std::make_unique<compression::RecordedController>(
        std::move(layers), controller[0].get<std::string>()));
  }
  return stage;
}

std::optional<std::vector<Quality>> QualitiesOf(std::string_view bytes) {
  const Json json = Parse(bytes);
  if (!json.is_array()) return std::nullopt;
  std::vector<Quality> qualities;
  for (const Json& item : json) {
    if (!Is(item, "snnnnnn")) return std::nullopt;
    Quality q;
    q.output = item[0].get<std::string>();
    q.snr = item[1].get<double>();
    q.worst = item[2].get<double>();
    q.varying = item[3].get<double>();
    q.largest = item[4].get<double>();
    q.samples = item[5].get<size_t>();
    q.available = item[6].get<size_t>();
    qualities.push_back(std::move(q));
  }
  return qualities;
}

}  // namespace tessera::tools
