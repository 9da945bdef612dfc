#include "codegen/parser.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "codegen/clause_parser.h"

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
      "doc",     "type",   "in",   "out",    "attr",     "let",     "require", "shape",
      "ref",     "temp",   "fast", "body",   "onnx",     "rewrite", "lower",   "permute",
      "example", "reject", "role", "effect", "commutes", "code",    "extern"};
  return kNames;
}

class Parser : private ClauseParser {
 public:
  Parser(const Source& source, Diagnostics& diagnostics)
      : ClauseParser(source, diagnostics), stem_(Stem(source.path)) {}

  File Run() {
    File file;
    if (Accept("dialect")) file.dialect = Name("dialect name");
    while (!AtEnd() && !failed()) {
      if (Accept("fn")) {
        file.functions.push_back(ParseFunction());
      } else if (At("op") || At("builder")) {
        file.ops.push_back(ParseOp(file.dialect));
      } else {
        Fail(absl::StrCat("expected `fn`, `op` or `builder`, found `", Peek().text, "`",
                          Suggestion(Peek().text, {"fn", "op", "builder"})));
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

  Op ParseOp(const std::string& dialect) {
    Op op;
    op.builder = At("builder");
    Next();
    op.dialect = dialect;
    op.stem = stem_;
    op.place = Here();
    op.name = Name("op name");
    Expect("{");
    while (!At("}") && !AtEnd() && !failed()) ParseStatement(op);
    Expect("}");
    return op;
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
      Expect("extern");
      RefStatement ref;
      ref.kind = RefStatement::kFast;
      ref.place = place;
      ref.header = String("header");
      ref.function = Name("function");
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

  std::vector<std::string> Classes() {
    std::vector<std::string> classes{Name("dtype class")};
    while (Accept("|")) classes.push_back(Name("dtype class"));
    return classes;
  }

  Operand ParseOperand() {
    Operand operand;
    operand.place = Here();
    operand.name = Name("operand name");
    if (Accept("?")) operand.arity = Operand::kOptional;
    if (Accept("...")) operand.arity = Operand::kVariadic;
    Expect(":");
    operand.classes = Classes();
    if (Accept("[")) {
      operand.form.kind = Form::kDims;
      while (!At("]") && !failed()) {
        FormEntry entry;
        entry.place = Here();
        if (Peek().kind == Token::kInt && (Peek(1).text == "," || Peek(1).text == "]")) {
          entry.literal = SignedInt();
        } else if (Peek(1).text == "," || Peek(1).text == "]" || Peek(1).text == "...") {
          entry.name = Name("dim");
          entry.pack = Accept("...");
        } else {
          entry.expression = Expression();
        }
        operand.form.dims.push_back(entry);
        if (!Accept(",")) break;
      }
      Expect("]");
    } else if (Accept("rank")) {
      operand.form.kind = Form::kRank;
      operand.form.rank_name = Name("rank name");
    } else if (Accept("like")) {
      operand.form.kind = Form::kLike;
      operand.form.like = Name("operand");
    }
    if (Accept("elements")) (Accept("?") ? operand.known_elements : operand.elements) = true;
    return operand;
  }

  AttributeDecl ParseAttribute() {
    AttributeDecl attribute;
    attribute.place = Here();
    attribute.name = Name("attribute name");
    Expect(":");
    attribute.kind = Name("attribute kind");
    static const std::vector<std::string> kKinds = {"int", "float", "bool", "dtype", "enum", "dim"};
    if (std::find(kKinds.begin(), kKinds.end(), attribute.kind) == kKinds.end() && !failed()) {
      Back();
      Fail(absl::StrCat("unknown attribute kind `", attribute.kind, "`",
                        Suggestion(attribute.kind, kKinds)));
    }
    if (attribute.kind == "enum") {
      Expect("{");
      while (!At("}") && !failed()) {
        attribute.enum_names.push_back(Name("enum value"));
        if (!Accept(",")) break;
      }
      Expect("}");
    }
    if (Accept("[")) {
      attribute.list = true;
      attribute.length = Expression();
      Expect("]");
    }
    if (Accept("=")) attribute.default_value = Expression();
    if (Accept("where")) attribute.where = Expression();
    return attribute;
  }

  std::vector<RefIndex> RefIndices() {
    std::vector<RefIndex> indices;
    Expect("[");
    while (!At("]") && !failed()) {
      RefIndex index;
      index.place = Here();
      index.name = Name("index");
      index.pack = Accept("...");
      if (Accept("scan"))
        index.order = Accept("reverse") ? RefIndex::kBackward : RefIndex::kForward;
      if (Accept("in")) index.list = Expression();
      if (Accept("with")) {
        index.axis = Primary();
        Expect("+=");
        index.shift = Expression();
      }
      indices.push_back(index);
      if (!Accept(",")) break;
    }
    Expect("]");
    return indices;
  }

  RefStatement ParseRef(Place place) {
    RefStatement ref;
    ref.place = place;
    if (Accept("extern")) {
      ref.kind = RefStatement::kExtern;
      ref.header = String("header");
      ref.function = Name("function");
      return ref;
    }
    ref.kind = RefStatement::kAssign;
    if (Accept("each")) {
      ref.kind = RefStatement::kEach;
      ref.each = Name("variadic operand");
      Expect(":");
    }
    ref.target = Name("result");
    ref.indices = RefIndices();
    Expect("=");
    ref.value = Expression();
    return ref;
  }

  RefStatement ParseTemp(Place place) {
    RefStatement ref;
    ref.kind = RefStatement::kTemp;
    ref.place = place;
    ref.target = Name("temp name");
    ref.indices = RefIndices();
    Expect(":");
    ref.type = Name("type");
    Expect("=");
    ref.value = Expression();
    return ref;
  }

  std::string stem_;
};

}  // namespace

File Parse(const Source& source, Diagnostics& diagnostics) {
  return Parser(source, diagnostics).Run();
}

}  // namespace tessera::codegen
