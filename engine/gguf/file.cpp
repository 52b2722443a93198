#include "engine/gguf/file.hpp"

#include <concepts>
#include <utility>

#include "engine/gguf/file_parser.hpp"

namespace orthros::gguf {
namespace {

template <class T>
constexpr bool isInteger = std::integral<T> && !std::same_as<T, bool>;

template <class To, class From>
constexpr bool converts = std::same_as<To, From> || (isInteger<To> && isInteger<From>) ||
                          (std::floating_point<To> && std::floating_point<From>);

// The element of From as To where nothing is lost but, between floating types, precision.
template <class To, class From>
std::optional<To> convertScalar(const From& from) {
  if constexpr (std::same_as<To, From>) {
    return from;
  } else if constexpr (isInteger<To> && isInteger<From>) {
    if (std::in_range<To>(from)) return static_cast<To>(from);
    return std::nullopt;
  } else if constexpr (std::floating_point<To> && std::floating_point<From>) {
    return static_cast<To>(from);
  } else {
    return std::nullopt;
  }
}

template <class To>
struct Converter {
  static std::string wanted() { return typeName(Value(To{})); }
  static std::optional<To> convert(const Value& value) {
    return std::visit([](const auto& scalar) { return convertScalar<To>(scalar); }, value);
  }
};

template <class Element>
struct Converter<std::vector<Element>> {
  static std::string wanted() {
    return std::string(typeName(elementTypeNumber(std::vector<Element>{}))) + " array";
  }
  static std::optional<std::vector<Element>> convert(const Value& value) {
    const auto* array = std::get_if<Array>(&value);
    if (!array) return std::nullopt;
    return std::visit([](const auto& elements) { return convertAll(elements); }, *array);
  }
  template <class From>
  static std::optional<std::vector<Element>> convertAll(const std::vector<From>& elements) {
    std::vector<Element> converted;
    if constexpr (std::same_as<From, Element>) {
      converted = elements;
    } else if constexpr (!converts<Element, From>) {
      return std::nullopt;
    } else {
      converted.reserve(elements.size());
      for (const From& element : elements) {
        auto one = convertScalar<Element, From>(element);
        if (!one) return std::nullopt;
        converted.push_back(std::move(*one));
      }
    }
    return converted;
  }
};

tl::unexpected<Error> wrongType(const std::string& file, std::string_view key, const Value& found,
                                const std::string& wanted) {
  return fail(ErrorCode::malformed, file + ": key " + std::string(key),
              "is " + typeName(found) + " " + toText(found, 4, 64) + " where a value of type " + wanted +
                  " is needed",
              "The file does not follow its format; convert the model again");
}

tl::unexpected<Error> missing(const std::string& file, const char* kind, std::string_view name) {
  return fail(ErrorCode::notFound, file + ": " + kind + " " + std::string(name), "is missing",
              "The file is not complete; convert or fetch the model again");
}

}  // namespace

Result<File> File::open(const std::filesystem::path& path) {
  ORTHROS_ASSIGN(MappedFile mapping, MappedFile::open(path));
  ORTHROS_ASSIGN(File file, parse(mapping.bytes(), path.string()));
  file.mapping_ = std::move(mapping);
  return file;
}

Result<File> File::parse(std::span<const std::byte> bytes, const std::string& name) {
  return FileParser(bytes, name).parse();
}

const Value* File::find(std::string_view key) const {
  const auto found = keyIndex_.find(key);
  return found == keyIndex_.end() ? nullptr : &metadata_[found->second].second;
}

template <class T>
Result<T> File::get(std::string_view key) const {
  const Value* value = find(key);
  if (!value) return missing(name_, "key", key);
  auto converted = Converter<T>::convert(*value);
  if (!converted) return wrongType(name_, key, *value, Converter<T>::wanted());
  return std::move(*converted);
}

template <class T>
Result<T> File::getOr(std::string_view key, T fallback) const {
  if (!find(key)) return fallback;
  return get<T>(key);
}

template <class T>
Result<const std::vector<T>*> File::array(std::string_view key) const {
  const Value* value = find(key);
  if (!value) return missing(name_, "key", key);
  const auto* anyArray = std::get_if<Array>(value);
  const auto* elements = anyArray ? std::get_if<std::vector<T>>(anyArray) : nullptr;
  if (!elements) return wrongType(name_, key, *value, Converter<std::vector<T>>::wanted());
  return elements;
}

const Tensor* File::findTensor(std::string_view name) const {
  const auto found = tensorIndex_.find(name);
  return found == tensorIndex_.end() ? nullptr : &tensors_[found->second];
}

Result<const Tensor*> File::tensor(std::string_view name) const {
  const Tensor* found = findTensor(name);
  if (!found) return missing(name_, "tensor", name);
  return found;
}

#define ORTHROS_GGUF_VALUE(T)                                                                          \
  template Result<T> File::get<T>(std::string_view) const;                                             \
  template Result<T> File::getOr<T>(std::string_view, T) const;                                        \
  template Result<std::vector<T>> File::get<std::vector<T>>(std::string_view) const;                   \
  template Result<std::vector<T>> File::getOr<std::vector<T>>(std::string_view, std::vector<T>) const; \
  template Result<const std::vector<T>*> File::array<T>(std::string_view) const;
ORTHROS_GGUF_VALUE(uint8_t)
ORTHROS_GGUF_VALUE(int8_t)
ORTHROS_GGUF_VALUE(uint16_t)
ORTHROS_GGUF_VALUE(int16_t)
ORTHROS_GGUF_VALUE(uint32_t)
ORTHROS_GGUF_VALUE(int32_t)
ORTHROS_GGUF_VALUE(uint64_t)
ORTHROS_GGUF_VALUE(int64_t)
ORTHROS_GGUF_VALUE(float)
ORTHROS_GGUF_VALUE(double)
ORTHROS_GGUF_VALUE(bool)
ORTHROS_GGUF_VALUE(std::string)
#undef ORTHROS_GGUF_VALUE

}  // namespace orthros::gguf
