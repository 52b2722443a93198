#include "engine/session/run_record.hpp"

#include <iterator>

#include "engine/session/run_record_fields.hpp"

namespace orthros::session {
namespace {

using nlohmann::json;

constexpr RunPhase allPhases[] = {RunPhase::prefill, RunPhase::tail, RunPhase::decode};

// Writes fields into a JSON object.
class Writer {
 public:
  template <class T>
  void field(const char* name, const T& value) {
    object_[name] = value;
  }
  void field(const char* name, RunPhase phase) { object_[name] = runPhaseName(phase); }
  template <class T>
  void laterField(const char* name, const T& value) {
    field(name, value);
  }
  template <class Function>
  void object(const char* name, Function&& visit) {
    Writer inner;
    visit(inner);
    object_[name] = std::move(inner.object_);
  }
  template <class T, class Function>
  void list(const char* name, const std::vector<T>& values, Function&& visit) {
    json array = json::array();
    for (const T& value : values) {
      Writer inner;
      visit(value, inner);
      array.push_back(std::move(inner.object_));
    }
    object_[name] = std::move(array);
  }
  json take() { return std::move(object_); }

 private:
  json object_ = json::object();
};

// Reads fields out of a JSON object and remembers the first thing that was wrong.
class Reader {
 public:
  Reader(const json& object, std::string path, Error& error, bool& failed)
      : object_(object), path_(std::move(path)), error_(error), failed_(failed) {
    if (!object_.is_object()) report("", "is not an object");
  }

  template <class T>
  void field(const char* name, T& value) {
    if (const json* found = find(name)) read(*found, name, value);
  }
  template <class T>
  void laterField(const char* name, T& value) {
    if (object_.contains(name)) field(name, value);
  }
  template <class Function>
  void object(const char* name, Function&& visit) {
    const json* found = find(name);
    if (!found) return;
    Reader inner(*found, path_ + name + ".", error_, failed_);
    visit(inner);
  }
  template <class T, class Function>
  void list(const char* name, std::vector<T>& values, Function&& visit) {
    const json* found = find(name);
    if (!found) return;
    if (!found->is_array()) return report(name, "is not a list");
    values.clear();
    for (size_t index = 0; index < found->size() && !failed_; ++index) {
      Reader inner((*found)[index], path_ + name + "[" + std::to_string(index) + "].", error_, failed_);
      visit(values.emplace_back(), inner);
    }
  }

 private:
  const json* find(const char* name) {
    if (failed_) return nullptr;
    const auto found = object_.find(name);
    if (found == object_.end()) {
      report(name, "is missing");
      return nullptr;
    }
    return &*found;
  }

  void read(const json& from, const char*, json& value) { value = from; }
  void read(const json& from, const char* name, std::string& value) {
    if (!from.is_string()) return report(name, "is not a text");
    value = from.get<std::string>();
  }
  void read(const json& from, const char* name, bool& value) {
    if (!from.is_boolean()) return report(name, "is not true or false");
    value = from.get<bool>();
  }
  template <class Number>
  requires std::is_unsigned_v<Number>
  void read(const json& from, const char* name, Number& value) {
    if (!from.is_number_integer() || (!from.is_number_unsigned() && from.get<int64_t>() < 0) ||
        from.get<uint64_t>() > std::numeric_limits<Number>::max()) {
      return report(name, "is not a whole number in range");
    }
    value = from.get<Number>();
  }
  void read(const json& from, const char* name, RunPhase& value) {
    for (const RunPhase phase : allPhases) {
      if (from == runPhaseName(phase)) {
        value = phase;
        return;
      }
    }
    report(name, "names no phase (prefill, tail, decode)");
  }

  void report(const char* name, const char* happened) {
    if (failed_) return;
    failed_ = true;
    std::string subject = path_ + name;
    if (!subject.empty() && subject.back() == '.') subject.pop_back();
    error_ = {ErrorCode::malformed, "run record field " + subject, happened, "Save the run again"};
  }

  const json& object_;
  std::string path_;
  Error& error_;
  bool& failed_;
};

}  // namespace

const char* runPhaseName(RunPhase phase) {
  switch (phase) {
    case RunPhase::prefill:
      return "prefill";
    case RunPhase::tail:
      return "tail";
    case RunPhase::decode:
      return "decode";
  }
  return "decode";
}

const PhaseTotals& RunRecord::totals(RunPhase phase) const {
  return phase == RunPhase::prefill ? prefill : phase == RunPhase::tail ? tail : decode;
}

PhaseTotals& RunRecord::totals(RunPhase phase) {
  return const_cast<PhaseTotals&>(std::as_const(*this).totals(phase));
}

json toJson(const RunRecord& record) {
  Writer writer;
  visitRecord(record, writer);
  json object = writer.take();
  for (const RunPhase phase : allPhases) {
    object[runPhaseName(phase)]["tokensPerSecond"] = record.totals(phase).tokensPerSecond();
  }
  return object;
}

Result<RunRecord> runRecordFromJson(const json& object) {
  Error error;
  bool failed = false;
  RunRecord record;
  Reader reader(object, "", error, failed);
  visitRecord(record, reader);
  if (failed) return fail(std::move(error));
  if (record.version != 1) {
    return fail(ErrorCode::unsupported, "run record", "has version " + std::to_string(record.version),
                "Open it with a newer program");
  }
  return record;
}

}  // namespace orthros::session
