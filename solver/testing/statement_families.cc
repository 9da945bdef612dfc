#include "solver/testing/statement_families.h"

#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::solver {
namespace {

using Text = std::string;
using absl::StrCat;

Text Conv(const Text& x, int k, int s, int pads, bool ceil = false) {
  return StrCat("(floordiv(((((", x, ") + ", pads, ") - ", k - 1, ") - 1)",
                ceil ? StrCat(" + ", s - 1) : "", ", ", s, ") + 1)");
}
Text ConvTranspose(const Text& x, int k, int s, int pads, int extra) {
  return StrCat("(((((((", x, ") - 1) * ", s, ") - ", pads, ") + ", k - 1, ") + ", extra, ") + 1)");
}
Text Ceil(const Text& x, int m) { return StrCat("floordiv((", x, ") + ", m - 1, ", ", m, ")"); }

struct Style {
  const char* name;
  std::function<Text(const Text&)> apply;
};
struct PadStyle {
  const char* name;
  std::function<Text(const Text&, const Text&)> apply;  // to a multiple of the second
};

const std::vector<PadStyle>& Pads() {
  static const auto* const pads = new std::vector<PadStyle>{
      {"modmod",
       [](const Text& x, const Text& m) {
         return StrCat("(", x, " + mod((", m, " - mod(", x, ", ", m, ")), ", m, "))");
       }},
      {"negmod", [](const Text& x,
                    const Text& m) { return StrCat("(", x, " + mod((0 - ", x, "), ", m, "))"); }},
      {"ceil",
       [](const Text& x, const Text& m) {
         return StrCat("(floordiv((", x, " + ", m, ") - 1, ", m, ") * ", m, ")");
       }},
      {"ceildiv", [](const Text& x,
                     const Text& m) { return StrCat("(ceildiv(", x, ", ", m, ") * ", m, ")"); }},
      {"negfloor",
       [](const Text& x, const Text& m) {
         return StrCat("((0 - floordiv(0 - ", x, ", ", m, ")) * ", m, ")");
       }},
      {"always",
       [](const Text& x, const Text& m) {
         return StrCat("(", x, " + (", m, " - mod(", x, ", ", m, ")))");
       }},
      {"ite",
       [](const Text& x, const Text& m) {
         return StrCat("(", x, " + ite(mod(", x, ", ", m, ") == 0, 0, ", m, " - mod(", x, ", ", m,
                       ")))");
       }},
      {"both_sides",
       [](const Text& x, const Text& m) {
         const Text pad = StrCat("mod((", m, " - mod(", x, ", ", m, ")), ", m, ")");
         return StrCat("((", x, " + floordiv(", pad, ", 2)) + (", pad, " - floordiv(", pad,
                       ", 2)))");
       }},
      {"truncating",
       [](const Text& x, const Text& m) {
         return StrCat("(truncdiv((", x, " + ", m, ") - 1, ", m, ") * ", m, ")");
       }},
  };
  return *pads;
}

const std::vector<Style>& Downs() {
  static const auto* const downs = new std::vector<Style>{
      {"maxpool2", [](const Text& x) { return Conv(x, 2, 2, 0); }},
      {"conv3s2p1", [](const Text& x) { return Conv(x, 3, 2, 2); }},
      {"conv4s2p1", [](const Text& x) { return Conv(x, 4, 2, 2); }},
      {"conv5s2p2", [](const Text& x) { return Conv(x, 5, 2, 4); }},
      {"conv7s2p3", [](const Text& x) { return Conv(x, 7, 2, 6); }},
      {"ceilpool2", [](const Text& x) { return Conv(x, 2, 2, 0, true); }},
      {"halved", [](const Text& x) { return StrCat("floordiv(", x, ", 2)"); }},
  };
  return *downs;
}

const std::vector<Style>& Ups() {
  static const auto* const ups = new std::vector<Style>{
      {"x2", [](const Text& x) { return StrCat("((", x, ") * 2)"); }},
      {"convT3s2p1o1", [](const Text& x) { return ConvTranspose(x, 3, 2, 2, 1); }},
      {"convT2s2", [](const Text& x) { return ConvTranspose(x, 2, 2, 0, 0); }},
      {"convT4s2p1", [](const Text& x) { return ConvTranspose(x, 4, 2, 2, 0); }},
      {"shuffle", [](const Text& x) { return StrCat("floordiv((", x, ") * 4, 2)"); }},
  };
  return *ups;
}

class Table {
 public:
  void Add(std::string_view family, const Text& name, const Text& facts, const Text& claim,
           bool valid = true) {
    absl::StrAppend(&text_, Absl(family), "\t", name, "\t", facts, "\t", claim, "\t",
                    valid ? "valid" : "invalid", "\n");
  }
  Text text() && { return std::move(text_); }

 private:
  static absl::string_view Absl(std::string_view s) { return {s.data(), s.size()}; }
  Text text_;
};

// Sizes on the way down, x first.
std::vector<Text> Levels(const Text& x, const Style& down, int depth) {
  std::vector<Text> sizes{x};
  for (int i = 0; i < depth; ++i) sizes.push_back(down.apply(sizes.back()));
  return sizes;
}

// All concats of a U-Net agree.
Text Skips(const Text& x, const Style& down, const Style& up, int depth) {
  const std::vector<Text> sizes = Levels(x, down, depth);
  std::vector<Text> claims;
  Text size = sizes.back();
  for (int i = depth - 1; i >= 0; --i) {
    size = up.apply(size);
    claims.push_back(StrCat(size, " == ", sizes[static_cast<size_t>(i)]));
  }
  return absl::StrJoin(claims, " && ");
}

void AddUNets(Table& table, int depth) {
  for (int d = 1; d <= depth; ++d) {
    const Text m = StrCat(1 << d);
    for (const PadStyle& pad : Pads()) {
      for (const Style& down : Downs()) {
        for (const Style& up : Ups()) {
          // Deep ones with every third style, lest the table grows with their square.
          if (d > 3 && (std::string_view(up.name).size() + std::string_view(down.name).size() +
                        std::string_view(pad.name).size() + static_cast<size_t>(d)) %
                               3 !=
                           0)
            continue;
          table.Add("U.padded", StrCat("d=", d, " ", pad.name, " ", down.name, " ", up.name),
                    "x >= 1", Skips(pad.apply("x", m), down, up, d));
        }
      }
      if (d > 1) {
        table.Add("U.reject", StrCat("half the pad d=", d, " ", pad.name), "x >= 1",
                  Skips(pad.apply("x", StrCat(1 << (d - 1))), Downs()[0], Ups()[0], d), false);
      }
    }
    for (const Style& down : Downs()) {
      table.Add("U.assumed", StrCat("d=", d, " ", down.name),
                StrCat("x >= ", m, "; mod(x, ", m, ") == 0"), Skips("x", down, Ups()[0], d));
      table.Add("U.reject", StrCat("unpadded d=", d, " ", down.name), "x >= 1",
                Skips("x", down, Ups()[1], d), false);
      // The way up is cropped to the skip: right where rounding down never loses a row.
      const std::vector<Text> sizes = Levels("x", down, d);
      std::vector<Text> claims;
      Text size = sizes.back();
      for (int i = d - 1; i >= 0; --i) {
        const Text& skip = sizes[static_cast<size_t>(i)];
        size = StrCat("min((", size, ") * 2, ", skip, ")");
        claims.push_back(StrCat(size, " == ", skip));
      }
      const std::string_view name = down.name;
      const bool rounds_up =
          name == "conv3s2p1" || name == "conv5s2p2" || name == "conv7s2p3" || name == "ceilpool2";
      if (d <= 6) {
        table.Add(rounds_up ? "U.crop" : "U.reject", StrCat("crop d=", d, " ", down.name), "x >= 1",
                  absl::StrJoin(claims, " && "), rounds_up);
      }
    }
    if (d <= 4) {
      // The way up is padded by its difference to the skip.
      for (const Style& up : {Ups()[0], Ups()[2]}) {
        const std::vector<Text> sizes = Levels("x", Downs()[0], d);
        std::vector<Text> claims;
        Text size = sizes.back();
        for (int i = d - 1; i >= 0; --i) {
          const Text& skip = sizes[static_cast<size_t>(i)];
          const Text grown = up.apply(size);
          const Text difference = StrCat("(", skip, " - ", grown, ")");
          size = StrCat("((", grown, " + floordiv(", difference, ", 2)) + (", difference,
                        " - floordiv(", difference, ", 2)))");
          claims.push_back(StrCat(size, " == ", skip));
        }
        table.Add("U.diffpad", StrCat("d=", d, " ", up.name), StrCat("x >= ", m),
                  absl::StrJoin(claims, " && "));
      }
    }
    // Areas and numbers of elements of two dims.
    for (const PadStyle& pad : {Pads()[0], Pads()[2]}) {
      const auto round_trip = [&](const char* x) {
        Text size = Levels(pad.apply(x, m), Downs()[1], d).back();
        for (int i = 0; i < d; ++i) size = StrCat("(", size, " * 2)");
        return size;
      };
      const Text h = pad.apply("H", m);
      const Text w = pad.apply("W", m);
      table.Add("U.2d", StrCat("area d=", d, " ", pad.name), "H >= 1; W >= 1",
                StrCat("((", round_trip("H"), " * ", round_trip("W"), ") * 48) == (((", h, " * ", w,
                       ") * 16) + ((", h, " * ", w, ") * 32))"));
    }
  }
  for (int m : {3, 5, 6, 7, 9, 10, 11, 12, 14, 20, 24, 28, 48, 96, 100}) {
    const Text text = StrCat(m);
    for (const PadStyle& pad : Pads()) {
      const Text padded = pad.apply("x", text);
      table.Add("U.oddpad", StrCat(m, " ", pad.name), "x >= 1",
                StrCat("(floordiv(", padded, ", ", m, ") * ", m, ") == ", padded));
      table.Add("U.oddpad", StrCat(m, " least ", pad.name), "x >= 1",
                StrCat(padded, " >= x && ", padded, " <= x + ", m));
    }
  }
  for (int levels : {3, 4, 5}) {
    const Text m = StrCat(2 << levels);
    const Text padded = Pads()[0].apply("x", m);
    table.Add("U.fpn", StrCat("levels=", levels), "x >= 1",
              StrCat("(", Levels(padded, Downs()[1], levels).back(), " * ", 1 << levels,
                     ") == ", padded));
    table.Add("U.fpn", StrCat("neighbours, levels=", levels), "x >= 1",
              StrCat("(", Levels(padded, Downs()[4], levels).back(),
                     " * 2) == ", Levels(padded, Downs()[4], levels - 1).back()));
  }
}

void AddConvolutions(Table& table) {
  for (int k = 1; k <= 9; ++k) {
    for (int s = 1; s <= 5; ++s) {
      const Text out = Ceil("h", s);
      const Text pads = StrCat("max((((", out, " - 1) * ", s, ") + ", k, ") - h, 0)");
      table.Add("C.same", StrCat("k=", k, " s=", s), "h >= 1",
                StrCat("(floordiv(((h + ", pads, ") - ", k, "), ", s, ") + 1) == ", out),
                // A kernel narrower than its stride loses a tail.
                true);
      if (k % 2 == 1) {
        table.Add("C.same", StrCat("symmetric k=", k, " s=", s), "h >= 1",
                  StrCat(Conv("h", k, s, k - 1), " == ", out));
        table.Add("C.same", StrCat("dilated k=", k, " s=", s), "h >= 1",
                  StrCat("(floordiv((((h + ", 2 * 3 * (k / 2), ") - ", 3 * (k - 1), ") - 1), ", s,
                         ") + 1) == ", out));
      }
      if (s > 1) {
        table.Add("C.same", StrCat("floor is not ceil k=", k, " s=", s), "h >= 1",
                  StrCat(Conv("h", k, s, k - 1), " == floordiv(h, ", s, ")"), false);
      }
    }
  }
  for (int s : {2, 3, 4, 5, 8, 16}) {
    table.Add("C.convT", StrCat("convT(conv) k=s=", s),
              StrCat("h >= ", s, "; mod(h, ", s, ") == 0"),
              StrCat(ConvTranspose(Conv("h", s, s, 0), s, s, 0, 0), " == h"));
    table.Add("C.convT", StrCat("conv(convT) k=s=", s), "h >= 1",
              StrCat(Conv(ConvTranspose("h", s, s, 0, 0), s, s, 0), " == h"));
    table.Add("C.convT", StrCat("convT(conv) without the assumption s=", s), StrCat("h >= ", s),
              StrCat(ConvTranspose(Conv("h", s, s, 0), s, s, 0, 0), " == h"), false);
    table.Add("C.convT", StrCat("at most s - 1 are lost s=", s), StrCat("h >= ", s),
              StrCat("h - ", ConvTranspose(Conv("h", s, s, 0), s, s, 0, 0), " <= ", s - 1));
  }
  for (const Style& down : Downs()) {
    Text chain = "h";
    for (int n = 1; n <= 16; ++n) {
      chain = down.apply(chain);
      const std::string_view name = down.name;
      const int64_t m = int64_t{1} << n;
      if (name == "halved" || name == "maxpool2") {
        table.Add("C.iter", StrCat(down.name, " x", n), "h >= 1",
                  StrCat(chain, " == floordiv(h, ", m, ")"));
      } else if (name != "conv4s2p1") {
        table.Add("C.iter", StrCat(down.name, " x", n), "h >= 1",
                  StrCat(chain, " == floordiv(h + ", m - 1, ", ", m, ")"));
      }
      if (n > 1 && n <= 4) {
        table.Add("C.iter", StrCat("reject ", down.name, " x", n), "h >= 1",
                  StrCat(chain, " == floordiv(h + 1, ", m, ")"), false);
      }
    }
  }
  Text valid = "h";
  Text back = "h";
  for (int n = 1; n <= 8; ++n) {
    valid = Conv(valid, 3, 1, 0);
    back = valid;
    for (int i = 0; i < n; ++i) back = ConvTranspose(back, 3, 1, 0, 0);
    table.Add("C.iter", StrCat("valid conv3 and back x", n), "h >= 1", StrCat(back, " == h"));
  }
  for (int k : {2, 3}) {
    for (int s : {2, 3}) {
      table.Add("C.ceil", StrCat("bounds k=", k, " s=", s), "h >= 7",
                StrCat(Conv("h", k, s, 0, true), " >= ", Conv("h", k, s, 0), " && ",
                       Conv("h", k, s, 0, true), " <= ", Conv("h", k, s, 0), " + 1"));
      table.Add("C.ceil", StrCat("as padding k=", k, " s=", s), "h >= 7",
                StrCat(Conv("h", k, s, 0, true), " == (floordiv(((h + ", s - 1, ") - ", k, "), ", s,
                       ") + 1)"));
      table.Add("C.ceil", StrCat("reject k=", k, " s=", s), "h >= 3",
                StrCat(Conv("h", k, s, 0, true), " == ", Conv("h", k, s, 0)), false);
      // Windows that would start in the padding are dropped.
      table.Add("C.ceil", StrCat("clipped k=", k, " s=", s), "h >= 7",
                StrCat("min(", Conv("h", k, s, 0, true), ", floordiv(h - 1, ", s,
                       ") + 1) <= ", Ceil("h", s)));
    }
  }
  struct Ratio {
    int up, down;
  };
  for (const Ratio r : {Ratio{3, 2}, {5, 2}, {4, 3}, {7, 4}, {5, 3}}) {
    table.Add("C.resize", StrCat("x", r.up, "/", r.down, " and back"),
              StrCat("h >= 1; mod(h, ", r.down, ") == 0"),
              StrCat("floordiv((floordiv((h * ", r.up, "), ", r.down, ") * ", r.down, "), ", r.up,
                     ") == h"));
    table.Add("C.resize", StrCat("reject x", r.up, "/", r.down, " twice"), "h >= 1",
              StrCat("floordiv((floordiv((h * ", r.up, "), ", r.down, ") * ", r.up, "), ", r.down,
                     ") == floordiv((h * ", r.up * r.up, "), ", r.down * r.down, ")"),
              false);
    table.Add("C.resize", StrCat("x", r.up * r.down, "/", r.down), "h >= 1",
              StrCat("floordiv((h * ", r.up * r.down, "), ", r.down, ") == (h * ", r.up, ")"));
  }
  for (int r : {2, 3, 4}) {
    table.Add("C.shuffle", StrCat("space to depth and back r=", r), StrCat("h >= 1"),
              StrCat("(floordiv((h * ", r, "), ", r, ") * ", r, ") == (h * ", r, ")"));
    table.Add("C.shuffle", StrCat("focus r=", r), StrCat("h >= ", r, "; mod(h, ", r, ") == 0"),
              StrCat("floordiv(((h - 0) + ", r - 1, "), ", r, ") == floordiv(h, ", r, ")"));
    table.Add("C.shuffle", StrCat("reject focus r=", r), "h >= 1",
              StrCat("floordiv((h + ", r - 1, "), ", r, ") == floordiv(h, ", r, ")"), false);
  }
  for (int a : {4, 8, 16, 32, 64}) {
    for (int b : {8, 16, 64, 128}) {
      const auto align = [](const Text& x, int m) {
        return StrCat("(floordiv((", x, " + ", m - 1, "), ", m, ") * ", m, ")");
      };
      if (b % a == 0) {
        table.Add("C.align", StrCat(b, "(", a, ")"), "h >= 1",
                  StrCat(align(align("h", a), b), " == ", align("h", b)));
        table.Add("C.align", StrCat(a, "(", b, ")"), "h >= 1",
                  StrCat(align(align("h", b), a), " == ", align("h", b)));
      }
      table.Add("C.align", StrCat("bounds ", a, " ", b), "h >= 1",
                StrCat("h <= ", align("h", a), " && ", align("h", a), " <= h + ", a - 1, " && ",
                       align(align("h", a), b), " < h + ", a + b));
      table.Add("C.align", StrCat("reject ", a, " ", b), "h >= 1",
                StrCat(align("h", a), " <= h + ", a - 2), false);
    }
  }
}

void AddRemainders(Table& table) {
  for (int m = 2; m <= 16; ++m) {
    for (int n = 2; n <= 16; ++n) {
      const bool divides = m % n == 0;
      table.Add("C.mod", StrCat("(h%", m, ")%", n), "h >= 1",
                StrCat("mod(mod(h, ", m, "), ", n, ") == mod(h, ", n, ")"), divides);
      if (n > m || m > 8) continue;
      table.Add("C.mod", StrCat("(X%", m, "+Y%", m, ")%", m, " ", n), "X >= 1; Y >= 1",
                StrCat("mod((mod(X, ", m, ") + mod((Y * ", n, "), ", m, ")), ", m,
                       ") == mod((X + (Y * ", n, ")), ", m, ")"));
      table.Add("C.mod", StrCat("(X%", m, ")(Y%", m, ")%", m, " ", n), "X >= 1; Y >= 1",
                StrCat("mod((mod(X, ", m, ") * mod((Y * ", n, "), ", m, ")), ", m,
                       ") == mod(((X * Y) * ", n, "), ", m, ")"));
      table.Add(
          "C.mod", StrCat("small ", m, " ", n), "x >= 1",
          StrCat("floordiv(mod(x, ", m * n, "), ", n, ") == mod(floordiv(x, ", n, "), ", m, ")"));
      table.Add("C.mod", StrCat("reject x^2 ", m, " ", n), "x >= 1",
                StrCat("mod((x * x), ", m, ") <= ", 0), false);
    }
  }
  table.Add("C.mod", "x(x+1)%2", "x >= 1", "mod((x * (x + 1)), 2) == 0");
  table.Add("C.mod", "x^2%4", "x >= 1", "mod((x * x), 4) <= 1");
  table.Add("C.mod", "x^2%8 of odd", "x >= 1; mod(x, 2) == 1", "mod((x * x), 8) == 1");
  table.Add("C.mod", "x(x+1)(x+2)%6", "x >= 1", "mod(((x * (x + 1)) * (x + 2)), 6) == 0");
  table.Add("C.mod", "x^3-x%6", "x >= 1", "mod((((x * x) * x) - x), 6) == 0");
  table.Add("C.mod", "CRT", "h >= 1", "mod(h, 6) == mod(((mod(h, 2) * 3) + (mod(h, 3) * 4)), 6)");
  table.Add("C.mod", "reject CRT", "h >= 1", "(mod(h, 2) + mod(h, 3)) == mod(h, 6)", false);
  table.Add("C.mod", "divisible by both", "h >= 1; mod(h, 4) == 0; mod(h, 6) == 0",
            "mod(h, 12) == 0");
  table.Add("C.mod", "reject product of both", "h >= 1; mod(h, 4) == 0; mod(h, 6) == 0",
            "mod(h, 24) == 0", false);
}

void AddAudio(Table& table) {
  table.Add("C.audio", "whisper", "T >= 400",
            StrCat(Conv("T", 3, 2, 2), " == floordiv((T + 1), 2)"));
  table.Add("C.audio", "whisper mel", "T >= 400",
            StrCat(Conv(Conv("T", 3, 1, 2), 3, 2, 2), " == floordiv((T + 1), 2)"));
  for (int hop : {128, 160, 256, 512}) {
    const int n = hop * 4;
    table.Add("C.audio", StrCat("centred STFT hop=", hop), StrCat("T >= ", n),
              StrCat("(floordiv(((T + ", n, ") - ", n, "), ", hop, ") + 1) == (floordiv(T, ", hop,
                     ") + 1)"));
    table.Add("C.audio", StrCat("STFT hop=", hop), StrCat("T >= ", n),
              StrCat("(floordiv((T - ", n, "), ", hop, ") + 1) == (floordiv(T, ", hop, ") - 3)"));
    table.Add("C.audio", StrCat("overlap-add hop=", hop),
              StrCat("T >= ", n, "; mod(T, ", hop, ") == 0"),
              StrCat("(((floordiv((T - ", n, "), ", hop, ")) * ", hop, ") + ", n, ") == T"));
    table.Add("C.audio", StrCat("reject overlap-add hop=", hop), StrCat("T >= ", n),
              StrCat("(((floordiv((T - ", n, "), ", hop, ")) * ", hop, ") + ", n, ") == T"), false);
  }
  Text wav = Conv("T", 10, 5, 0);
  for (int i = 0; i < 4; ++i) wav = Conv(wav, 3, 2, 0);
  for (int i = 0; i < 2; ++i) wav = Conv(wav, 2, 2, 0);
  table.Add("C.audio", "wav2vec2", "T >= 400", StrCat(wav, " == floordiv((T - 80), 320)"));
  table.Add("C.audio", "reject wav2vec2", "T >= 400", StrCat(wav, " == floordiv(T, 320)"), false);
  table.Add("C.audio", "wav2vec2 is not empty", "T >= 400", StrCat(wav, " >= 1"));
}

void AddSymbolicDivisors(Table& table) {
  const Text ab = "A >= 1; B >= 1; X >= 1; Y >= 1; C >= 1";
  const auto valid = [&](const char* name, const char* claim) {
    table.Add("N.div", name, ab, claim);
  };
  const auto invalid = [&](const char* name, const char* claim) {
    table.Add("N.div", StrCat("reject ", name), ab, claim, false);
  };
  valid("XA/A", "floordiv((X * A), A) == X");
  valid("(BX+R)/B", "floordiv(((B * X) + Y), B) == (X + floordiv(Y, B))");
  valid("(AB+2A+4CA)/A",
        "floordiv((((A * B) + (2 * A)) + ((4 * C) * A)), A) == ((B + (4 * C)) + 2)");
  valid("X/A/B", "floordiv(floordiv(X, A), B) == floordiv(X, (A * B))");
  valid("X/A/B/C", "floordiv(floordiv(floordiv(X, A), B), C) == floordiv(X, ((A * B) * C))");
  valid("X/A/B commutes", "floordiv(floordiv(X, A), B) == floordiv(floordiv(X, B), A)");
  valid("ceil ceil",
        "floordiv((floordiv((X + A) - 1, A) + B) - 1, B) == floordiv((X + (A * B)) - 1, (A * B))");
  valid("ceildiv ceildiv", "ceildiv(ceildiv(X, A), B) == ceildiv(X, (A * B))");
  valid("ceil is floor + 1", "ceildiv(X, A) == (floordiv((X - 1), A) + 1)");
  valid("(X mod AB) mod A", "mod(mod(X, (A * B)), A) == mod(X, A)");
  valid("(X mod AB) / A", "floordiv(mod(X, (A * B)), A) == mod(floordiv(X, A), B)");
  valid("(X%A+Y%A)%A", "mod((mod(X, A) + mod(Y, A)), A) == mod((X + Y), A)");
  valid("(X%A-Y%A)%A", "mod((mod(X, A) - mod(Y, A)), A) == mod((X - Y), A)");
  valid("((X%A)(Y%A))%A", "mod((mod(X, A) * mod(Y, A)), A) == mod((X * Y), A)");
  valid("(X%A)%A", "mod(mod(X, A), A) == mod(X, A)");
  valid("(X+AC)%A", "mod((X + (A * C)), A) == mod(X, A)");
  valid("A(X%B)", "(A * mod(X, B)) == mod((A * X), (A * B))");
  valid("X%A < A", "mod(X, A) < A && mod(X, A) >= 0");
  valid("(AX+A-1)/A", "floordiv((((A * X) + A) - 1), A) == X");
  valid("(AX+X%A)/A", "floordiv(((A * X) + mod(Y, A)), A) == X");
  valid("X = A(X/A) + X%A", "((A * floordiv(X, A)) + mod(X, A)) == X");
  valid("align align",
        "(floordiv((((floordiv(((X + A) - 1), A) * A) + A) - 1), A) * A) == (floordiv(((X + A) - "
        "1), A) * A)");
  valid("alignAB(alignA)",
        "(floordiv((((floordiv(((X + A) - 1), A) * A) + (A * B)) - 1), (A * B)) * (A * B)) == "
        "(floordiv(((X + (A * B)) - 1), (A * B)) * (A * B))");
  valid("alignA(alignAB)",
        "(floordiv((((floordiv(((X + (A * B)) - 1), (A * B)) * (A * B)) + A) - 1), A) * A) == "
        "(floordiv(((X + (A * B)) - 1), (A * B)) * (A * B))");
  valid("AX/AB", "floordiv((A * X), (A * B)) == floordiv(X, B)");
  valid("(AX+A-1)/AB", "floordiv((((A * X) + A) - 1), (A * B)) == floordiv(X, B)");
  valid("monotone", "floordiv(X, A) <= floordiv((X + Y), A)");
  valid("superadditive", "(floordiv(X, A) + floordiv(Y, A)) <= floordiv((X + Y), A)");
  valid("almost additive", "floordiv((X + Y), A) <= ((floordiv(X, A) + floordiv(Y, A)) + 1)");
  valid("X/(A+1)", "floordiv(((X * (A + 1)) + A), (A + 1)) == X");
  valid("(A+B) exact", "floordiv((((A * A) + ((2 * A) * B)) + (B * B)), (A + B)) == (A + B)");
  valid("max and min", "(max(X, Y) + min(X, Y)) == (X + Y)");
  invalid("(X+Y)/A", "floordiv((X + Y), A) == (floordiv(X, A) + floordiv(Y, A))");
  invalid("(X/A)*A", "(floordiv(X, A) * A) == X");
  invalid("X/A/B as sum", "floordiv(floordiv(X, A), B) == floordiv(X, (A + B))");
  invalid("(X%A)%B", "mod(mod(X, A), B) == mod(X, B)");
  invalid("(X%AB)%(A+1)", "mod(mod(X, (A * B)), (A + 1)) == mod(X, (A + 1))");
  invalid("ceil is floor", "floordiv(((X + A) - 1), A) == floordiv(X, A)");
  invalid("X*A/B", "floordiv((X * A), B) == (X * floordiv(A, B))");
  invalid("1/(X-1)", "X == 1 || floordiv(1, max(X - 1, 1)) == 0");
  for (const PadStyle& pad : Pads()) {
    const Text padded = pad.apply("x", "m");
    table.Add("N.sympad", StrCat("(pad/m)*m ", pad.name), "x >= 1; m >= 1",
              StrCat("(floordiv(", padded, ", m) * m) == ", padded));
    table.Add("N.sympad", StrCat("pad%m ", pad.name), "x >= 1; m >= 1",
              StrCat("mod(", padded, ", m) == 0"));
    table.Add("N.sympad", StrCat("pad/m ", pad.name), "x >= 1; m >= 1",
              StrCat("floordiv(", padded, ", m) >= floordiv(x, m)"));
    const Text squared = pad.apply("x", "(s * s)");
    table.Add("N.sympad", StrCat("two levels ", pad.name), "x >= 1; s >= 1",
              StrCat("((floordiv(floordiv(", squared, ", s), s) * s) * s) == ", squared));
    table.Add("N.sympad", StrCat("reject two levels ", pad.name), "x >= 1; s >= 2",
              StrCat("((floordiv(floordiv(", padded, ", s), s) * s) * s) == ", padded), false);
  }
}

void AddReshapes(Table& table) {
  const Text sizes = "B >= 1; S >= 1; h >= 1; d >= 1; H >= 1; W >= 1; N >= 1; C >= 1; r >= 1";
  const auto valid = [&](const char* family, const Text& name, const Text& claim) {
    table.Add(family, name, sizes, claim);
  };
  for (const auto& [hidden, heads] : {std::pair(768, 12), {1024, 16}, {512, 8}, {384, 6}}) {
    valid(
        "N.reshape", StrCat("BERT ", hidden),
        StrCat("floordiv(((B * S) * ", hidden, "), ((B * S) * ", heads, ")) == ", hidden / heads));
    valid(
        "N.reshape", StrCat("BERT back ", hidden),
        StrCat("floordiv((((B * ", heads, ") * S) * ", hidden / heads, "), (B * S)) == ", hidden));
    valid("N.reshape", StrCat("BERT divides ", hidden),
          StrCat("mod(((B * S) * ", hidden, "), ((B * S) * ", heads, ")) == 0"));
  }
  valid("N.reshape", "symbolic heads", "floordiv(((B * S) * (h * d)), ((B * S) * h)) == d");
  valid("N.reshape", "symbolic heads divide", "mod(((B * S) * (h * d)), ((B * S) * h)) == 0");
  valid("N.reshape", "GQA", "floordiv((((B * S) * (h * 4)) * d), (((B * S) * h) * d)) == 4");
  valid("N.reshape", "GQA back", "floordiv(((((B * S) * h) * C) * d), ((B * S) * (h * C))) == d");
  for (int patch : {8, 14, 16, 32}) {
    const Text h = StrCat("floordiv(H, ", patch, ")");
    const Text w = StrCat("floordiv(W, ", patch, ")");
    table.Add(
        "N.reshape", StrCat("ViT ", patch), StrCat("B >= 1; H >= ", patch, "; W >= ", patch),
        StrCat("floordiv((((B * 768) * ", h, ") * ", w, "), (B * 768)) == (", h, " * ", w, ")"));
    table.Add(
        "N.reshape", StrCat("ViT tokens ", patch), StrCat("B >= 1; H >= ", patch, "; W >= ", patch),
        StrCat("floordiv(((B * (", h, " * ", w, ")) * 768), (B * 768)) == (", h, " * ", w, ")"));
  }
  for (const char* window : {"7", "8", "12", "ws"}) {
    for (const PadStyle& pad : Pads()) {
      const Text facts = "B >= 1; H >= 1; W >= 1; ws >= 1";
      const Text h = pad.apply("H", window);
      const Text w = pad.apply("W", window);
      const Text name = StrCat("ws=", window, " ", pad.name);
      const Text windows =
          StrCat("((B * floordiv(", h, ", ", window, ")) * floordiv(", w, ", ", window, "))");
      table.Add("N.reshape", StrCat("Swin elements ", name), facts,
                StrCat("((((B * floordiv(", h, ", ", window, ")) * ", window, ") * floordiv(", w,
                       ", ", window, ")) * ", window, ") == ((B * ", h, ") * ", w, ")"));
      table.Add("N.reshape", StrCat("Swin reverse ", name), facts,
                StrCat(windows, " == (B * floordiv(floordiv((", h, " * ", w, "), ", window, "), ",
                       window, "))"));
      table.Add("N.reshape", StrCat("Swin batch ", name), facts,
                StrCat("floordiv(", windows, ", floordiv(floordiv((", h, " * ", w, "), ", window,
                       "), ", window, ")) == B"));
      table.Add(
          "N.reshape", StrCat("Swin shift ", name), facts,
          StrCat("((", h, " - floordiv(", window, ", 2)) + floordiv(", window, ", 2)) == ", h));
    }
  }
  valid("N.shuffle", "pixel shuffle",
        "(((N * ((C * r) * r)) * H) * W) == (((N * C) * (H * r)) * (W * r))");
  valid("N.shuffle", "channels", "floordiv((((C * r) * r)), (r * r)) == C");
  valid("N.shuffle", "unshuffle", "floordiv((H * r), r) == H && mod((H * r), r) == 0");
  valid("N.shuffle", "channel shuffle",
        "((N * (floordiv((C * r), r) * r)) * H) == ((N * (C * r)) * H)");
  table.Add("N.shuffle", "reject unshuffle", sizes, "(floordiv(H, r) * r) == H", false);
  table.Add("C.kv", "slice", "past >= 0; seq >= 1",
            "(min((past + seq), (past + seq)) - max(((past + seq) - seq), 0)) == seq");
  table.Add("C.kv", "grows", "past >= 0; seq >= 1", "(past + seq) > past && (past + seq) >= seq");
  table.Add("C.kv", "broadcast", "s >= 1", "max(s, 1) == s");
  table.Add("C.kv", "window", "past >= 0; seq >= 1; w >= 1",
            "(min((past + seq), w) + max(((past + seq) - w), 0)) == (past + seq)");
  table.Add("C.kv", "window is within", "past >= 0; seq >= 1; w >= seq",
            "min((past + seq), w) >= seq");
  table.Add("C.kv", "mask", "past >= 0; seq >= 1; B >= 1",
            "((B * seq) * (past + seq)) == (((B * seq) * past) + ((B * seq) * seq))");
  table.Add("C.kv", "positions", "past >= 0; seq >= 1; past + seq <= 128",
            "past <= 127 && (past + seq) - 1 < 128");
  table.Add("C.kv", "reject empty past", "past >= 0; seq >= 1", "past >= 1", false);
  table.Add("C.kv", "reject broadcast", "s >= 0", "max(s, 1) == s", false);
  table.Add("C.kv", "reject positions", "past >= 0; seq >= 1; past + seq <= 129",
            "past + seq <= 128", false);
  const auto inequality = [&](const char* name, const char* claim, bool holds = true) {
    table.Add("N.ineq", name, "x >= 1; n >= 1; a >= 1; b >= 1", claim, holds);
  };
  inequality("x < (x/n)n + n", "(x + 1) <= ((floordiv(x, n) * n) + n)");
  inequality("(x/n)n <= x", "(floordiv(x, n) * n) <= x");
  inequality("x <= ceil(x/n)n", "x <= (floordiv(((x + n) - 1), n) * n)");
  inequality("ceil(x/n)n < x + n", "(floordiv(((x + n) - 1), n) * n) < x + n");
  inequality("squares", "((2 * a) * b) <= ((a * a) + (b * b))");
  inequality("product of sizes", "((a * b) + 1) >= (a + b)");
  inequality("flat index", "((((a - 1) * b) + (b - 1)) < (a * b))");
  inequality("x/n <= x", "floordiv(x, n) <= x");
  inequality("x/n < x for n > 1", "floordiv(x, (n + 1)) < x");
  inequality("min", "min(a, b) <= a && min(a, b) <= b && max(a, b) >= min(a, b)");
  inequality("sum of maxima", "max(a, b) <= (a + b) - 1");
  inequality("product beats factor", "(a * b) >= a && (a * b) >= max(a, b)");
  inequality("reject squares", "((2 * a) * b) < ((a * a) + (b * b))", false);
  inequality("reject x < (x/n)n", "x <= (floordiv(x, n) * n)", false);
  inequality("reject a*b > a", "(a * b) > a", false);
  table.Add("N.ineq", "flat index of three",
            "i >= 0; j >= 0; k >= 0; A >= 1; B >= 1; C >= 1; i < A; j < B; k < C",
            "((((i * B) + j) * C) + k) < ((A * B) * C)");
  table.Add("N.ineq", "flat index of two", "i >= 0; j >= 0; A >= 1; B >= 1; i < A; j < B",
            "((i * B) + j) < (A * B) && ((i * B) + j) >= 0");
  table.Add("N.ineq", "unflatten", "i >= 0; A >= 1; B >= 1; i < A * B",
            "floordiv(i, B) < A && mod(i, B) < B");
  table.Add("N.ineq", "window in bounds", "o >= 0; H >= 3; o < floordiv(H - 3, 2) + 1",
            "(o * 2) + 2 < H");
}

void AddSeeds(Table& table) {
  for (int m : {2, 4, 8, 16}) {
    table.Add("S.seed", StrCat("evenizer16 ", m), "E >= 1",
              StrCat("mod((E + mod((16 - mod(E, 16)), 16)), ", m, ") == 0"));
  }
  table.Add("S.seed", "reject evenizer16 32", "E >= 1",
            "mod((E + mod((16 - mod(E, 16)), 16)), 32) == 0", false);
  table.Add("S.seed", "pool and up", "X >= 2; mod(X, 2) == 0",
            "((floordiv((X - 2), 2) + 1) * 2) == X");
  table.Add("S.seed", "pool and up as halves", "X >= 2",
            "((floordiv((X - 2), 2) + 1) * 2) == (floordiv(X, 2) * 2)");
  table.Add("S.seed", "crop", "H >= 1", "min(H, (H + mod((16 - mod(H, 16)), 16))) == H");
  table.Add("S.seed", "1/(X-1) for X > 1", "X >= 2", "floordiv(1, (X - 1)) == 0", false);
  table.Add("S.seed", "1/(X-1) for X > 2", "X >= 3", "floordiv(1, (X - 1)) == 0");
  for (int d : {1, 2, 3}) {
    table.Add("S.seed", StrCat("unpadded ", d), "X >= 1", Skips("X", Downs()[0], Ups()[0], d),
              false);
  }
}

}  // namespace

std::string StatementFamilies(int depth) {
  Table table;
  AddSeeds(table);
  AddUNets(table, depth);
  AddConvolutions(table);
  AddRemainders(table);
  AddAudio(table);
  AddSymbolicDivisors(table);
  AddReshapes(table);
  return std::move(table).text();
}

}  // namespace tessera::solver
