#include "solver/certificate/order.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tessera::certificate {
namespace {

// What the limits of devices are listed under, in an order of their own.
constexpr char kDevice[] = "device";

bool Before(const FileDigest& a, const FileDigest& b) { return a.file < b.file; }
bool Before(const std::string& a, const std::string& b) { return a < b; }
bool Before(const DeclaredSymbol& a, const DeclaredSymbol& b) { return a.name < b.name; }
bool Before(const DeclaredFact& a, const DeclaredFact& b) {
  return std::tie(a.statement, a.origin) < std::tie(b.statement, b.origin);
}
bool Before(const Obligation& a, const Obligation& b) {
  const bool last = a.stage == kDevice, other = b.stage == kDevice;
  if (last || other) return last < other;
  return std::tie(a.stage, a.node, a.op, a.id, a.statement, a.scopes) <
         std::tie(b.stage, b.node, b.op, b.id, b.statement, b.scopes);
}

template <class T>
void Sort(std::vector<T>& list) {
  std::stable_sort(list.begin(), list.end(), [](const T& a, const T& b) { return Before(a, b); });
}

// The place of each obligation's name among all of them, in order. There are few names, and many
// obligations of each.
std::vector<uint32_t> RanksOf(const std::vector<Obligation>& obligations,
                              std::string Obligation::*name) {
  absl::flat_hash_map<std::string_view, uint32_t> ranks;
  for (const Obligation& o : obligations) ranks.try_emplace(o.*name);
  std::vector<std::string_view> names;
  names.reserve(ranks.size());
  for (const auto& entry : ranks) names.push_back(entry.first);
  std::sort(names.begin(), names.end());
  for (size_t i = 0; i < names.size(); ++i) ranks[names[i]] = static_cast<uint32_t>(i);
  std::vector<uint32_t> result;
  result.reserve(obligations.size());
  for (const Obligation& o : obligations) result.push_back(ranks.at(o.*name));
  return result;
}

// The obligations by their indices, in the order of Before.
std::vector<size_t> OrderOf(const std::vector<Obligation>& obligations) {
  struct Place {
    std::array<uint32_t, 4> ranks;
    size_t index;
  };
  constexpr std::array kNames = {&Obligation::stage, &Obligation::node, &Obligation::op,
                                 &Obligation::id};
  std::vector<Place> places(obligations.size());
  for (size_t k = 0; k < kNames.size(); ++k) {
    const std::vector<uint32_t> ranks = RanksOf(obligations, kNames[k]);
    for (size_t i = 0; i < places.size(); ++i) places[i].ranks[k] = ranks[i];
  }
  for (size_t i = 0; i < places.size(); ++i) {
    places[i].index = i;
    // They stay as they are, behind all others.
    if (obligations[i].stage == kDevice) places[i].ranks.fill(std::numeric_limits<uint32_t>::max());
  }
  std::stable_sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    return a.ranks != b.ranks ? a.ranks < b.ranks
                              : Before(obligations[a.index], obligations[b.index]);
  });
  std::vector<size_t> order;
  order.reserve(places.size());
  for (const Place& place : places) order.push_back(place.index);
  return order;
}

template <class T>
void Find(const char* name, const std::vector<T>& list, std::vector<std::string>& found) {
  for (size_t i = 1; i < list.size(); ++i) {
    if (Before(list[i], list[i - 1]))
      found.push_back(absl::StrCat("`/", name, "/", i, "` belongs before that at ", i - 1));
  }
}

// `NAME7 = ...`: the name without its number, and that; 0: it has none.
std::pair<std::string_view, int64_t> NameOf(std::string_view term) {
  const std::string_view name = term.substr(0, term.find(' '));
  const size_t last = name.find_last_not_of("0123456789");
  const size_t digits = last == std::string_view::npos ? 0 : last + 1;
  int64_t number = 0;
  const std::string_view tail = name.substr(digits);
  if (!absl::SimpleAtoi(absl::string_view(tail.data(), tail.size()), &number)) number = 0;
  return {name.substr(0, digits), number};
}

}  // namespace

void PutInOrder(Certificate& certificate) {
  Sort(certificate.options);
  Sort(certificate.data);
  Sort(certificate.symbols);
  Sort(certificate.facts);
  std::vector<Obligation>& obligations = certificate.obligations;
  absl::flat_hash_map<std::string, std::string> queries;
  for (Obligation& o : obligations) {
    if (!o.smt2.empty()) queries.try_emplace(o.statement, std::exchange(o.smt2, ""));
  }
  const std::vector<size_t> order = OrderOf(obligations);
  std::vector<int64_t> place(order.size());
  std::vector<Obligation> sorted;
  sorted.reserve(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<int64_t>(i);
    sorted.push_back(std::move(obligations[order[i]]));
    if (const auto query = queries.find(sorted.back().statement); query != queries.end())
      sorted.back().smt2 = std::exchange(query->second, "");
  }
  obligations = std::move(sorted);
  for (ListedOperation& operation : certificate.operations) {
    for (int64_t& index : operation.obligations) {
      if (index < static_cast<int64_t>(place.size())) index = place[static_cast<size_t>(index)];
    }
    std::sort(operation.obligations.begin(), operation.obligations.end());
  }
}

std::vector<std::string> OutOfOrder(const Certificate& certificate) {
  std::vector<std::string> found;
  Find("options", certificate.options, found);
  Find("data", certificate.data, found);
  Find("symbols", certificate.symbols, found);
  Find("facts", certificate.facts, found);
  Find("obligations", certificate.obligations, found);
  for (size_t i = 0; i < certificate.terms.size(); ++i) {
    const auto [name, number] = NameOf(certificate.terms[i]);
    if (number != static_cast<int64_t>(i) + 1 || name != NameOf(certificate.terms[0]).first)
      found.push_back(absl::StrCat("`/terms/", i, "` is not numbered in turn"));
  }
  return found;
}

}  // namespace tessera::certificate
