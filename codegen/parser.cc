#include "codegen/parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/signature_parser.h"

namespace tessera::codegen {
namespace {

// The file's name without folders and suffix.
std::string Stem(const std::string& path) {
  const size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.find('.'));
}

const std::vector<std::string>& OpStatements() {
  static const std::vector<std::string> kNames = {
      "doc",    "type", "in",     "out",      "attr", "let",     "require",  "shape",   "ref",
      "temp",   "fast", "body",   "onnx",     "aten", "rewrite", "lower",    "permute", "example",
      "reject", "role", "effect", "commutes", "code", "extern",  "quantize", "shader"};
  return kNames;
}

class Parser : private SignatureParser {
 public:
  Parser(const Source& source, Diagnostics& diagnostics)
      : SignatureParser(source, diagnostics), stem_(Stem(source.path)) {}

  File Run() {
    File file;
    if (Accept("dialect")) file.dialect = Name("dialect name");
    while (!AtEnd() && !failed()) {
      if (Accept("fn")) {
        file.functions.push_back(ParseFunction());
      } else if (Accept("family")) {
        file.families.push_back(ParseFamily());
      } else if (Accept("refuse")) {
        file.refusals.push_back(ParseRefusal());
      } else if (At("op") || At("builder")) {
        ParseOp(file);
      } else {
        Fail(absl::StrCat("expected `fn`, `family`, `refuse`, `op` or `builder`, found `",
                          Peek().text, "`",
                          Suggestion(Peek().text, {"fn", "family", "refuse", "op", "builder"})));
      }
    }
    return file;
  }

 private:
  Function ParseFunction() {
    Function function;
    function.place = Here();
    function.name = Name("function name");
    Expect("(");
    while (!At(")") && !failed()) {
      function.parameters.push_back(Name("parameter"));
      if (!Accept(",")) break;
    }
    Expect(")");
    Expect("=");
    function.body = Expression();
    return function;
  }

  // From `{` to its `}`, unread: what is between them.
  TextRange Braced() {
    TextRange range{Here().offset + 1, 0};
    Expect("{");
    for (int open = 1; !failed(); Next()) {
      if (At("{")) ++open;
      if (At("}") && --open == 0) break;
      if (AtEnd()) Expect("}");
    }
    range.end = Here().offset;
    Expect("}");
    return range;
  }

  Family ParseFamily() {
    Family family;
    family.place = Here();
    family.name = Name("family name");
    Expect("(");
    while (!At(")") && !failed()) {
      Family::Parameter parameter{"", std::nullopt, Here()};
      parameter.name = Name("parameter");
      if (Accept("=")) parameter.default_text = Argument();
      family.parameters.push_back(std::move(parameter));
      if (!Accept(",")) break;
    }
    Expect(")");
    family.text = Braced();
    return family;
  }

  // One token, or several in braces.
  TextRange Argument() {
    if (At("{")) return Braced();
    const TextRange range{Here().offset, Here().offset + Peek().text.size()};
    if (Peek().kind == Token::kString || Peek().kind == Token::kEnd || At(",") || At(")"))
      Fail(absl::StrCat("expected a name, a number, an operator or `{ ... }`, found `", Peek().text,
                        "`"));
    Next();
    return range;
  }

  RefuseDecl ParseRefusal() {
    RefuseDecl refusal;
    refusal.place = Here();
    refusal.reason = String("reason");
    Expect("{");
    while (!At("}") && !failed()) {
      const bool aten = Accept("aten");
      if (!aten) Expect("onnx");
      do {
        const Place place = Here();
        refusal.operators.push_back({String("operator"), aten, place});
      } while (Accept(","));
    }
    Expect("}");
    return refusal;
  }

  void ParseOp(File& file) {
    Op op;
    op.builder = At("builder");
    Next();
    op.dialect = file.dialect;
    op.stem = stem_;
    op.place = Here();
    op.name = Name("op name");
    if (Accept(":")) {
      Member member{file.ops.size(), "", {}, {}, Here()};
      member.family = Name("family name");
      Expect("(");
      while (!At(")") && !failed()) {
        Member::Argument argument{"", {}, Here()};
        argument.parameter = Name("parameter");
        Expect(":");
        argument.text = Argument();
        member.arguments.push_back(std::move(argument));
        if (!Accept(",")) break;
      }
      Expect(")");
      member.own = Braced();
      file.members.push_back(std::move(member));
    } else {
      Expect("{");
      while (!At("}") && !AtEnd() && !failed()) ParseStatement(op);
      Expect("}");
    }
    file.ops.push_back(std::move(op));
  }

  void ParseStatement(Op& op) {
    const Token token = Peek();
    const Place place = Here();
    Next();
    if (token.text == "doc") {
      op.doc = String("documentation");
    } else if (token.text == "type") {
      TypeVariable variable{Name("type variable"), {}, place};
      Expect(":");
      variable.classes = Classes();
      op.types.push_back(variable);
    } else if (token.text == "in") {
      op.inputs.push_back(ParseOperand());
    } else if (token.text == "out") {
      op.outputs.push_back(ParseOperand());
    } else if (token.text == "attr") {
      op.attributes.push_back(ParseAttribute());
    } else if (token.text == "let" || token.text == "shape") {
      Statement statement;
      statement.kind = token.text == "let" ? Statement::kLet : Statement::kShape;
      statement.place = place;
      statement.name = Name("name");
      statement.binders = OptionalBinders();
      Expect("=");
      statement.value = Expression();
      op.statements.push_back(statement);
    } else if (token.text == "require") {
      Statement statement;
      statement.kind = Statement::kRequire;
      statement.place = place;
      statement.name = Name("constraint id");
      statement.value = Expression();
      Expect("else");
      statement.message = Message("message");
      op.statements.push_back(statement);
    } else if (token.text == "ref") {
      op.refs.push_back(ParseRef(place));
    } else if (token.text == "temp") {
      op.refs.push_back(ParseTemp(place));
    } else if (token.text == "fast") {
      RefStatement ref;
      ref.kind = RefStatement::kFast;
      ref.place = place;
      ref.whole = Accept("kernel");
      if (!ref.whole) Expect("extern");
      ref.header = String("header");
      ref.function = Name("function");
      if (Accept("when")) ref.condition = Expression();
      op.refs.push_back(ref);
    } else if (token.text == "body") {
      if (Accept("{")) {
        while (At("let")) op.body_lets.push_back(ParseLet());
        op.body = Expression();
        Expect("}");
      } else {
        op.body = Expression();
      }
    } else if (token.text == "onnx") {
      op.onnx.push_back(ParseOnnx(place));
    } else if (token.text == "aten") {
      for (AtenClause& clause : ParseAten(place)) op.aten.push_back(std::move(clause));
    } else if (token.text == "rewrite") {
      op.rewrites.push_back(ParseRewrite(place));
    } else if (token.text == "lower") {
      op.lowers.push_back(ParseLower(place));
    } else if (token.text == "permute") {
      op.permutable = true;
      while (Peek().kind == Token::kName && Peek(1).text == ":") {
        PermuteDecl permute{Peek().text, "", Here()};
        Next();
        Next();
        permute.name = Name("attribute or operand");
        op.permutes.push_back(permute);
        Accept(",");
      }
    } else if (token.text == "example" || token.text == "reject") {
      op.examples.push_back(ParseExample(token.text == "reject", place));
    } else if (token.text == "role") {
      op.role_place = Here();
      op.role = Name("role");
    } else if (token.text == "extern") {
      op.makers.push_back(String("source"));
    } else if (token.text == "effect") {
      op.effect = true;
    } else if (token.text == "commutes") {
      op.commutes = true;
      op.commutes_place = place;
    } else if (token.text == "quantize") {
      op.quantize = ParseQuantize(place);
    } else if (token.text == "shader") {
      op.shader = ParseShader(place);
    } else if (token.text == "code") {
      op.has_code = true;
      op.code = SignedInt();
      if (Accept("options")) op.options = Name("options table");
      if (Accept("version")) op.code_version = SignedInt();
    } else {
      Back();
      Fail(absl::StrCat("unexpected `", token.text, "` in `", op.name, "`",
                        Suggestion(token.text, OpStatements())));
    }
  }

  std::string stem_;
};

}  // namespace

File Parse(const Source& source, Diagnostics& diagnostics) {
  return Parser(source, diagnostics).Run();
}

}  // namespace tessera::codegen
