// Matrix products, with what happens to them before they are stored. Shaders: matmul.comp, matmul_cpu.comp
// and matmul_coop.comp for many rows, matvec.comp, matvec_subgroup.comp and matvec_cpu.comp for up to eight
// (those also apply the RMS norm while reading).
//
// Few rows are f32. On cooperative matrices many rows read x in f16, and SwiGLU and queries are written in
// f16 (KernelLibrary::manyRowsFormat); other products are f32 always.
#pragma once

#include <optional>

#include "engine/kernels/dispatcher.hpp"
#include "engine/kernels/kernel_library.hpp"
#include "engine/kernels/matrix_tiles.hpp"
#include "engine/kernels/qkv_target.hpp"
#include "engine/kernels/tensors.hpp"

namespace orthros::kernels {

enum class Epilogue : uint32_t {
  store = EPILOGUE_STORE,
  residual = EPILOGUE_RESIDUAL,  // y += product
  swiglu = EPILOGUE_SWIGLU,      // columns (gate, gate, up, up): y gets half as many values
  qkv = EPILOGUE_QKV,            // where fusesQkv: rotates Q and K; Q to y, K and V to the cache
};

// Norm of x as part of the product: few rows only.
struct InputNorm {
  Vector gain;
  uint32_t width = 0;
  float epsilon = 0.f;
};

struct ProjectionJob {
  const char* operation = "";
  int32_t layer = -1;
  Matrix matrix;
  Epilogue epilogue = Epilogue::store;
  Activations x, y;
  uint32_t rows = 0;
  uint32_t xRow = 0, yRow = 0;
  std::optional<InputNorm> norm;  // required by few rows of every epilogue but residual, else forbidden
  std::optional<QkvTarget> qkv;   // with Epilogue::qkv
};

class Projection {
 public:
  // The row counts that the matrix-vector kernels are compiled for; fewer rows take the next larger one.
  static constexpr uint32_t compiledRows[] = {1, 4, 8};
  // Up to this many rows take them.
  static constexpr uint32_t fewRows = 8;

  // With `onlyTile`, products on cooperative matrices use this one: for tests.
  explicit Projection(std::shared_ptr<KernelLibrary> library, const MatrixTile* onlyTile = nullptr)
      : library_(std::move(library)), onlyTile_(onlyTile) {}
  // Builds what record would need for this many rows, so that no compilation happens during a run.
  Status prepare(const Matrix& matrix, Epilogue epilogue, KvFormat kv, uint32_t rows);
  // Whether a product of this many rows can have Epilogue::qkv; others store Q, K and V joined, for Rope.
  bool fusesQkv(uint32_t rows, KvFormat kv) const;
  // Rows up to the next multiple of ROW_PADDING may receive something in y.
  Status record(Dispatcher& work, const ProjectionJob& job);

 private:
  struct Variant;
  Variant choose(const Matrix& matrix, Epilogue epilogue, KvFormat kv, uint32_t rows) const;
  Variant chooseSubgroups(const Matrix& matrix, Epilogue epilogue, uint32_t rows) const;
  Variant chooseFew(DeviceFormat format, Epilogue epilogue, KvFormat kv, uint32_t rows) const;
  Variant chooseMany(const Matrix& matrix, Epilogue epilogue, uint32_t rows) const;
  Variant chooseCooperative(const Matrix& matrix, Epilogue epilogue, uint32_t rows) const;
  static Variant tileVariant(const Matrix& matrix, Epilogue epilogue, const MatrixTile& tile);
  Result<std::shared_ptr<vulkan::Pipeline>> pipeline(const Variant& variant);

  std::shared_ptr<KernelLibrary> library_;
  const MatrixTile* onlyTile_;
};

}  // namespace orthros::kernels
