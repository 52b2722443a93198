#include "engine/phase/plan.hpp"

#include <string_view>

namespace orthros::phase {
namespace {

tl::unexpected<Error> fieldError(std::string field, uint32_t layer, std::string happened) {
  return fail(ErrorCode::invalidArgument, std::move(field),
              std::move(happened) + " in layer " + std::to_string(layer));
}

Status validatePhase(std::string_view phaseName, const std::vector<LayerAttention>& attention,
                     uint32_t layers, uint32_t contextTokens) {
  const std::string prefix = std::string(phaseName) + '.';
  if (attention.size() != layers) {
    return fail(ErrorCode::invalidArgument, prefix + "kind",
                "is given for " + std::to_string(attention.size()) + " layers, but the model has " +
                    std::to_string(layers),
                "Choose a plan made for this model");
  }
  for (uint32_t layer = 0; layer < layers; ++layer) {
    const LayerAttention& entry = attention[layer];
    if (entry.kind == AttentionKind::full) continue;
    if (entry.kind != AttentionKind::window) {
      return fieldError(prefix + "kind", layer, "is " + std::to_string(static_cast<uint32_t>(entry.kind)));
    }
    if (entry.window == 0) {
      return fieldError(prefix + "window", layer,
                        "is 0, but a window counts the row itself and is at least 1");
    }
    if (entry.sinks > contextTokens) {
      return fieldError(prefix + "sinks", layer,
                        "is " + std::to_string(entry.sinks) + ", more than the context of " +
                            std::to_string(contextTokens) + " tokens");
    }
  }
  return {};
}

}  // namespace

Status validate(const PhasePlan& plan, uint32_t layers, uint32_t contextTokens) {
  ORTHROS_TRY(validatePhase("prefill", plan.prefill, layers, contextTokens));
  ORTHROS_TRY(validatePhase("decode", plan.decode, layers, contextTokens));
  if (plan.tail == 0) {
    return fail(ErrorCode::invalidArgument, "prefill.tail",
                "is 0, but the last row of a prompt produces the first answer token and reads everything",
                "Set it to 1 or more");
  }
  return {};
}

}  // namespace orthros::phase
