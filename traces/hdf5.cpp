#include "traces/hdf5.h"

#include <hdf5.h>
#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "sim/error.h"

namespace traces::hdf5 {
namespace {

static_assert(std::is_same_v<hid_t, Handle::Id>);
static_assert(std::endian::native == std::endian::little, "columns are stored as they are in memory");

constexpr H5Z_filter_t kLz4Filter = 32004;  // as registered with The HDF Group
constexpr int kDeflateLevel = 1;            // 3 % larger than level 4 on LBAs, and half as long to write
constexpr std::uint64_t kMaxChunkBytes = 256 << 20;
constexpr std::uint64_t kSmallChunkBytes = 1 << 20;
// Of each column that goes by way of the library: a chunk that does not fit is decompressed at each access.
constexpr std::size_t kCacheSlots = 521, kCacheBytes = 32 << 20;
constexpr double kCachePreemption = 1;

using Lock = std::unique_lock<std::recursive_mutex>;

Lock lock() {
  static std::recursive_mutex mutex;
  Lock held(mutex);
  // At exit the library would write again what it could not write before, and crash.
  static const herr_t no_exit_handler = H5dont_atexit();
  static_cast<void>(no_exit_handler);
  // Errors are thrown, not printed. The setting is per thread in builds of the library that know threads.
  thread_local const herr_t quiet = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  static_cast<void>(quiet);
  return held;
}

// The first cause on the library's stack of errors.
std::string reason() {
  std::string text;
  const auto take = [](unsigned, const H5E_error2_t* error, void* to) -> herr_t {
    if (error->desc && *error->desc) static_cast<std::string*>(to)->assign(error->desc);
    return 1;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take, &text);
  // Of a failed system call only the system's reason: "file write failed: time = ..., error message = 'File too large',
  // ...".
  static constexpr std::string_view kReason = "error message = '";
  if (const std::size_t at = text.find(kReason); at != std::string::npos) {
    text = text.substr(at + kReason.size(), text.find('\'', at + kReason.size()) - at - kReason.size());
  }
  return text.empty() ? "" : " (" + text + ")";
}

[[noreturn]] void fail_in(const std::string& file, const std::string& what) {
  throw sim::DataError(file + ": " + what + reason());
}

[[noreturn]] void fail_to_write(const std::string& file) { fail_in(file, "cannot write"); }

// For calls that fail only when memory or the library's tables run out.
Handle own(hid_t id) {
  if (id < 0) throw sim::DataError("HDF5 failed" + reason());
  return Handle(id);
}

hid_t stored_type(Type type) {
  switch (type) {
    case Type::u8:
      return H5T_STD_U8LE;
    case Type::u16:
      return H5T_STD_U16LE;
    case Type::u32:
      return H5T_STD_U32LE;
    case Type::u64:
      return H5T_STD_U64LE;
    case Type::i64:
      return H5T_STD_I64LE;
    case Type::f64:
      return H5T_IEEE_F64LE;
  }
  return H5I_INVALID_HID;
}

std::string_view describe(Type type) {
  constexpr std::array<std::string_view, 6> kNames{"unsigned 8-bit",  "unsigned 16-bit", "unsigned 32-bit",
                                                   "unsigned 64-bit", "signed 64-bit",   "floating 64-bit"};
  return kNames[static_cast<std::size_t>(type)];
}

// The same kind and size of number, in whatever order of bytes.
bool same_kind(hid_t stored, Type type) {
  if (H5Tget_size(stored) != width(type)) return false;
  if (type == Type::f64) return H5Tget_class(stored) == H5T_FLOAT;
  return H5Tget_class(stored) == H5T_INTEGER && H5Tget_sign(stored) == (type == Type::i64 ? H5T_SGN_2 : H5T_SGN_NONE);
}

// Fixed in length: texts of variable length lie in a heap of the file that has no checksum.
Handle text_type(std::size_t bytes) {
  Handle type = own(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), std::max<std::size_t>(bytes, 1));
  H5Tset_strpad(type.id(), H5T_STR_NULLPAD);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  return type;
}

Handle creation_properties(hid_t kind) {
  Handle properties = own(H5Pcreate(kind));
  H5Pset_obj_track_times(properties.id(), false);
  return properties;
}

Handle chunked(std::uint64_t chunk_rows, std::size_t value_bytes, Codec codec) {
  Handle properties = creation_properties(H5P_DATASET_CREATE);
  const hsize_t chunk = chunk_rows;
  H5Pset_chunk(properties.id(), 1, &chunk);
  H5Pset_fill_time(properties.id(), H5D_FILL_TIME_NEVER);
  if (value_bytes > 1) H5Pset_shuffle(properties.id());
  if (codec == Codec::deflate) {
    H5Pset_deflate(properties.id(), kDeflateLevel);
  } else {
    H5Pset_filter(properties.id(), kLz4Filter, H5Z_FLAG_MANDATORY, 0, nullptr);
  }
  return properties;
}

Handle make_dataset(hid_t group, const std::string& name, hid_t type, std::uint64_t rows, bool grows,
                    hid_t properties) {
  const hsize_t now = rows, limit = grows ? H5S_UNLIMITED : rows;
  const Handle space = own(H5Screate_simple(1, &now, &limit));
  return Handle(H5Dcreate2(group, name.c_str(), type, space.id(), H5P_DEFAULT, properties, H5P_DEFAULT));
}

// The selection of some rows of a dataset, and a space in memory of that size.
struct Rows {
  Handle in_file, in_memory;
  Rows(hid_t dataset, std::uint64_t first, std::uint64_t rows) {
    const hsize_t start = first, count = rows;
    in_file = own(H5Dget_space(dataset));
    in_memory = own(H5Screate_simple(1, &count, nullptr));
    H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
  }
};

std::string trimmed(const char* text, std::size_t room) { return {text, ::strnlen(text, room)}; }

// Texts of a dataset or attribute, by `read(type, buffer)`. False when the library could not.
template <class Read>
bool read_texts_of(hid_t stored, std::size_t count, std::vector<std::string>& texts, const Read& read) {
  if (H5Tis_variable_str(stored) > 0) {
    Handle type = own(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.id(), H5T_VARIABLE);
    H5Tset_cset(type.id(), H5Tget_cset(stored));
    std::vector<char*> pointers(count, nullptr);
    const bool fine = read(type.id(), pointers.data());
    for (char* pointer : pointers) {
      if (fine) texts.emplace_back(pointer ? pointer : "");
      H5free_memory(pointer);
    }
    return fine;
  }
  const std::size_t bytes = H5Tget_size(stored);
  std::vector<char> buffer(count * bytes);
  if (!read(stored, buffer.data())) return false;
  for (std::size_t i = 0; i < count; ++i) texts.push_back(trimmed(buffer.data() + i * bytes, bytes));
  return true;
}

// An attribute that is there, opened to be looked at.
struct Attribute {
  Handle attribute, type, space;
  Attribute(hid_t object, const std::string& name) : attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT)) {
    if (attribute.id() < 0) return;
    type = Handle(H5Aget_type(attribute.id()));
    space = Handle(H5Aget_space(attribute.id()));
  }
  // One value, of one of these classes.
  bool is_one(std::initializer_list<H5T_class_t> classes) const {
    return type.id() >= 0 && space.id() >= 0 && H5Sget_simple_extent_npoints(space.id()) == 1 &&
           std::find(classes.begin(), classes.end(), H5Tget_class(type.id())) != classes.end();
  }
  bool read(hid_t as, void* to) const { return H5Aread(attribute.id(), as, to) >= 0; }
};

void write_attribute(hid_t object, const std::string& file, const std::string& name, hid_t type, const void* value) {
  const Handle space = own(H5Screate(H5S_SCALAR));
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT));
  if (attribute.id() < 0 || H5Awrite(attribute.id(), type, value) < 0) fail_to_write(file);
}

// Byte k of every value together: bytes of equal weight compress better.
template <std::size_t kWidth>
void shuffle(const std::byte* values, std::size_t rows, std::byte* planes) {
  for (std::size_t k = 0; k < kWidth; ++k) {
    for (std::size_t i = 0; i < rows; ++i) planes[k * rows + i] = values[i * kWidth + k];
  }
}

template <class Word>
void unshuffle(const std::byte* planes, std::size_t rows, std::byte* values) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(planes);
  for (std::size_t i = 0; i < rows; ++i) {
    Word word = 0;
    for (std::size_t k = 0; k < sizeof(Word); ++k) {
      word = static_cast<Word>(word | static_cast<Word>(static_cast<Word>(bytes[k * rows + i]) << (8 * k)));
    }
    std::memcpy(values + i * sizeof(Word), &word, sizeof(Word));
  }
}

// What is the same in every dataset that is opened: one dimension, and all of its rows in this file.
struct OpenDataset {
  Handle dataset, type, properties;
  std::uint64_t rows = 0, chunk_rows = 0;
  std::string trouble;  // empty: fine

  OpenDataset(hid_t group, const std::string& name) : dataset(H5Dopen2(group, name.c_str(), H5P_DEFAULT)) {
    trouble = look();
  }

 private:
  std::string look() {
    if (dataset.id() < 0) return "there is no such column";
    type = own(H5Dget_type(dataset.id()));
    properties = own(H5Dget_create_plist(dataset.id()));
    const Handle space = own(H5Dget_space(dataset.id()));
    hsize_t extent = 0;
    if (H5Sget_simple_extent_ndims(space.id()) != 1 || H5Sget_simple_extent_dims(space.id(), &extent, nullptr) != 1) {
      return "should have one dimension";
    }
    rows = extent;
    const auto layout = H5Pget_layout(properties.id());
    if (layout == H5D_VIRTUAL || H5Pget_external_count(properties.id()) != 0) return "its rows lie in another file";
    return layout == H5D_CHUNKED ? look_at_chunks() : look_at_bytes();
  }

  // Rows that were never written take no room in a file, so a small file could claim any number of them.
  std::string look_at_chunks() {
    hsize_t chunk = 0, chunks = 0;
    if (H5Pget_chunk(properties.id(), 1, &chunk) != 1 || chunk == 0) return "cannot read how it is stored";
    chunk_rows = chunk;
    if (chunk_rows > kMaxChunkBytes / std::max<std::size_t>(H5Tget_size(type.id()), 1)) {
      return "its chunks are of over " + std::to_string(kMaxChunkBytes >> 20) + " MiB: write it in smaller ones";
    }
    const Handle space = own(H5Dget_space(dataset.id()));
    if (H5Dget_num_chunks(dataset.id(), space.id(), &chunks) < 0) return "cannot read how it is stored";
    if (chunks != rows / chunk_rows + (rows % chunk_rows != 0)) return "some of its rows were never written";
    for (int i = 0, n = H5Pget_nfilters(properties.id()); i < n; ++i) {
      unsigned flags = 0, parameters = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter =
          H5Pget_filter2(properties.id(), static_cast<unsigned>(i), &flags, &values, &parameters, 0, nullptr, nullptr);
      if (filter < 0) return "cannot read how it is stored";
      if (H5Zfilter_avail(filter) <= 0) {
        return "is compressed by HDF5 filter " + std::to_string(filter) + (filter == kLz4Filter ? " (lz4)" : "") +
               ", which is not installed here (HDF5_PLUGIN_PATH says where such plug-ins are)";
      }
    }
    return "";
  }

  std::string look_at_bytes() const {
    const std::uint64_t value_bytes = std::max<std::size_t>(H5Tget_size(type.id()), 1);
    return rows <= H5Dget_storage_size(dataset.id()) / value_bytes ? "" : "some of its rows were never written";
  }
};

// Which of shuffle and deflate, in this order and with nothing else, are applied; false for any other filters.
bool simple_filters(hid_t properties, bool& shuffled, bool& deflated) {
  shuffled = deflated = false;
  for (int i = 0, n = H5Pget_nfilters(properties); i < n; ++i) {
    unsigned flags = 0, parameters = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter =
        H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &values, &parameters, 0, nullptr, nullptr);
    if (filter == H5Z_FILTER_SHUFFLE && !shuffled && !deflated) {
      shuffled = true;
    } else if (filter == H5Z_FILTER_DEFLATE && !deflated) {
      deflated = true;
    } else {
      return false;
    }
  }
  return true;
}

// Version 1.10's format, since its structures have checksums. Locks on files fail on some network file systems, and
// ours have no second writer.
Handle access_properties() {
  Handle properties = own(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(properties.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_file_locking(properties.id(), false, true);
  H5Pset_cache(properties.id(), 0, kCacheSlots, kCacheBytes, kCachePreemption);
  return properties;
}

Handle root_group(hid_t file) { return own(H5Gopen2(file, "/", H5P_DEFAULT)); }

}  // namespace

std::size_t width(Type type) {
  constexpr std::array<std::size_t, 6> kWidths{1, 2, 4, 8, 8, 8};
  return kWidths[static_cast<std::size_t>(type)];
}

bool available(Codec codec) {
  const auto held = lock();
  return H5Zfilter_avail(codec == Codec::deflate ? H5Z_FILTER_DEFLATE : kLz4Filter) > 0;
}

Handle::~Handle() {
  if (id_ < 0) return;
  const auto held = lock();
  H5Idec_ref(id_);
}

void Column::fail(const std::string& what) const { fail_in(file_, name_ + ": " + what); }

void Column::read_chunk(std::uint64_t row, std::vector<std::byte>& stored) const {
  const auto held = lock();
  const hsize_t offset = row;
  hsize_t bytes = 0;
  std::uint32_t filters_left_out = 0;
  if (H5Dget_chunk_storage_size(dataset_.id(), &offset, &bytes) < 0 || bytes == 0) {
    fail("cannot find the chunk of row " + std::to_string(row));
  }
  if (bytes > 2 * kMaxChunkBytes) fail("the chunk of row " + std::to_string(row) + " is too large to be right");
  stored.resize(bytes);
  if (H5Dread_chunk(dataset_.id(), H5P_DEFAULT, &offset, &filters_left_out, stored.data()) < 0) {
    fail("cannot read the chunk of row " + std::to_string(row));
  }
  if (filters_left_out) fail("the chunk of row " + std::to_string(row) + " was stored without its filters");
}

void Column::read_rows(std::uint64_t row, std::uint64_t count, void* to) const {
  const auto held = lock();
  const Rows rows(dataset_.id(), row, count);
  if (H5Dread(dataset_.id(), stored_type(type_), rows.in_memory.id(), rows.in_file.id(), H5P_DEFAULT, to) < 0) {
    fail("cannot read rows from " + std::to_string(row));
  }
}

void Column::resize(std::uint64_t rows) {
  const auto held = lock();
  const hsize_t size = rows;
  if (H5Dset_extent(dataset_.id(), &size) < 0) fail_to_write(file_);
  rows_ = rows;
}

void Column::grow(std::uint64_t rows) {
  if (rows > rows_) resize(rows);
}

void Column::shrink(std::uint64_t rows) {
  if (rows < rows_) resize(rows);
}

void Column::write_chunk(std::uint64_t row, std::span<const std::byte> stored) {
  const auto held = lock();
  const hsize_t offset = row;
  if (H5Dwrite_chunk(dataset_.id(), H5P_DEFAULT, 0, &offset, stored.size(), stored.data()) < 0) fail_to_write(file_);
}

void Column::write_rows(std::uint64_t row, std::uint64_t count, const void* from) {
  const auto held = lock();
  const Rows rows(dataset_.id(), row, count);
  if (H5Dwrite(dataset_.id(), stored_type(type_), rows.in_memory.id(), rows.in_file.id(), H5P_DEFAULT, from) < 0) {
    fail_to_write(file_);
  }
}

std::vector<std::byte> encode_chunk(const Column& column, const void* values) {
  const std::size_t rows = column.chunk_rows(), value_bytes = width(column.type()), bytes = rows * value_bytes;
  const auto* from = static_cast<const std::byte*>(values);
  std::unique_ptr<std::byte[]> planes;
  if (value_bytes > 1) {
    planes = std::make_unique_for_overwrite<std::byte[]>(bytes);
    value_bytes == 2   ? shuffle<2>(from, rows, planes.get())
    : value_bytes == 4 ? shuffle<4>(from, rows, planes.get())
                       : shuffle<8>(from, rows, planes.get());
    from = planes.get();
  }
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kDeflateLevel), &libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::vector<std::byte> stored(libdeflate_zlib_compress_bound(compressor.get(), bytes));
  stored.resize(libdeflate_zlib_compress(compressor.get(), from, bytes, stored.data(), stored.size()));
  return stored;
}

void decode_chunk(const Column& column, std::span<const std::byte> stored, std::byte* values) {
  const std::size_t rows = column.chunk_rows(), value_bytes = width(column.type()), bytes = rows * value_bytes;
  const auto damaged = [&] { return sim::DataError(column.file_ + ": " + column.name_ + ": a chunk is damaged"); };
  const bool shuffled = column.shuffled_ && value_bytes > 1;
  std::unique_ptr<std::byte[]> planes;
  const std::byte* from = stored.data();
  if (column.deflated_) {
    if (shuffled) planes = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::byte* const to = shuffled ? planes.get() : values;
    const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
        libdeflate_alloc_decompressor(), &libdeflate_free_decompressor);
    if (!decompressor) throw std::bad_alloc();
    if (libdeflate_zlib_decompress(decompressor.get(), stored.data(), stored.size(), to, bytes, nullptr))
      throw damaged();
    from = to;
  } else if (stored.size() != bytes) {
    throw damaged();
  }
  if (!shuffled) {
    if (from != values) std::memcpy(values, from, bytes);
  } else {
    value_bytes == 2   ? unshuffle<std::uint16_t>(from, rows, values)
    : value_bytes == 4 ? unshuffle<std::uint32_t>(from, rows, values)
                       : unshuffle<std::uint64_t>(from, rows, values);
  }
}

std::string Group::path_of(const std::string& name) const { return path_ + (path_.ends_with('/') ? "" : "/") + name; }

void Group::fail(const std::string& name, const std::string& what) const {
  fail_in(file_, path_of(name) + ": " + what);
}

bool Group::has(const std::string& name) const {
  const auto held = lock();
  return H5Lexists(handle_.id(), name.c_str(), H5P_DEFAULT) > 0;
}

Group Group::open(const std::string& name) const {
  const auto held = lock();
  Handle handle(H5Gopen2(handle_.id(), name.c_str(), H5P_DEFAULT));
  if (handle.id() < 0) fail(name, "is not a group that can be opened");
  return {file_, path_of(name), std::move(handle)};
}

std::optional<std::string> Group::text(const std::string& name) const {
  const auto held = lock();
  if (H5Aexists(handle_.id(), name.c_str()) <= 0) return std::nullopt;
  const Attribute attribute(handle_.id(), name);
  std::vector<std::string> texts;
  if (!attribute.is_one({H5T_STRING}) ||
      !read_texts_of(attribute.type.id(), 1, texts, [&](hid_t as, void* to) { return attribute.read(as, to); })) {
    fail(name, "this attribute should be one text");
  }
  return texts.front();
}

std::optional<std::int64_t> Group::integer(const std::string& name) const {
  const auto held = lock();
  if (H5Aexists(handle_.id(), name.c_str()) <= 0) return std::nullopt;
  const Attribute attribute(handle_.id(), name);
  std::int64_t value = 0;
  const bool is_signed = attribute.is_one({H5T_INTEGER}) && H5Tget_sign(attribute.type.id()) == H5T_SGN_2;
  if (!attribute.is_one({H5T_INTEGER}) || H5Tget_size(attribute.type.id()) > sizeof value ||
      !attribute.read(is_signed ? H5T_NATIVE_INT64 : H5T_NATIVE_UINT64, &value) || (!is_signed && value < 0)) {
    fail(name, "this attribute should be one whole number below 2^63");
  }
  return value;
}

std::optional<double> Group::number(const std::string& name) const {
  const auto held = lock();
  if (H5Aexists(handle_.id(), name.c_str()) <= 0) return std::nullopt;
  const Attribute attribute(handle_.id(), name);
  double value = 0;
  if (!attribute.is_one({H5T_FLOAT, H5T_INTEGER}) || !attribute.read(H5T_NATIVE_DOUBLE, &value)) {
    fail(name, "this attribute should be one number");
  }
  return value;
}

Column Group::open_column(const std::string& name, Type type) const {
  const auto held = lock();
  OpenDataset opened(handle_.id(), name);
  if (!opened.trouble.empty()) fail(name, opened.trouble);
  if (!same_kind(opened.type.id(), type))
    fail(name, "should be a column of " + std::string(describe(type)) + " numbers");
  Column column;
  column.file_ = file_;
  column.name_ = path_of(name);
  column.type_ = type;
  column.rows_ = opened.rows;
  column.chunk_rows_ = opened.chunk_rows;
  column.direct_ = opened.chunk_rows && H5Tequal(opened.type.id(), stored_type(type)) > 0 &&
                   simple_filters(opened.properties.id(), column.shuffled_, column.deflated_);
  column.dataset_ = std::move(opened.dataset);
  return column;
}

std::vector<std::string> Group::read_texts(const std::string& name) const {
  const auto held = lock();
  const OpenDataset opened(handle_.id(), name);
  if (!opened.trouble.empty()) fail(name, opened.trouble);
  if (H5Tget_class(opened.type.id()) != H5T_STRING) fail(name, "should be a column of texts");
  const std::uint64_t at_once = std::max<std::uint64_t>(kSmallChunkBytes / H5Tget_size(opened.type.id()), 1);
  std::vector<std::string> texts;
  for (std::uint64_t first = 0; first < opened.rows; first += at_once) {
    const std::uint64_t count = std::min(at_once, opened.rows - first);
    const Rows rows(opened.dataset.id(), first, count);
    const auto read = [&](hid_t as, void* to) {
      return H5Dread(opened.dataset.id(), as, rows.in_memory.id(), rows.in_file.id(), H5P_DEFAULT, to) >= 0;
    };
    if (!read_texts_of(opened.type.id(), count, texts, read)) fail(name, "cannot read the texts");
  }
  return texts;
}

Group Group::make(const std::string& name) {
  const auto held = lock();
  const Handle properties = creation_properties(H5P_GROUP_CREATE);
  Handle handle(H5Gcreate2(handle_.id(), name.c_str(), H5P_DEFAULT, properties.id(), H5P_DEFAULT));
  if (handle.id() < 0) fail_to_write(file_);
  return {file_, path_of(name), std::move(handle)};
}

void Group::set(const std::string& name, std::string_view text) {
  const auto held = lock();
  const std::string bytes = text.empty() ? std::string(1, '\0') : std::string(text);
  write_attribute(handle_.id(), file_, name, text_type(bytes.size()).id(), bytes.data());
}

void Group::set(const std::string& name, std::int64_t value) {
  const auto held = lock();
  write_attribute(handle_.id(), file_, name, H5T_STD_I64LE, &value);
}

void Group::set(const std::string& name, std::uint64_t value) {
  const auto held = lock();
  write_attribute(handle_.id(), file_, name, H5T_STD_U64LE, &value);
}

void Group::set(const std::string& name, double value) {
  const auto held = lock();
  write_attribute(handle_.id(), file_, name, H5T_IEEE_F64LE, &value);
}

void Group::write_numbers(const std::string& name, Type type, std::uint64_t rows, const void* values) {
  const auto held = lock();
  const std::uint64_t chunk_rows = std::clamp<std::uint64_t>(rows, 1, kSmallChunkBytes / width(type));
  const Handle properties = chunked(chunk_rows, width(type), Codec::deflate);
  const Handle dataset = make_dataset(handle_.id(), name, stored_type(type), rows, false, properties.id());
  if (dataset.id() < 0 ||
      (rows && H5Dwrite(dataset.id(), stored_type(type), H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)) {
    fail_to_write(file_);
  }
}

void Group::write(const std::string& name, const std::vector<std::string>& texts) {
  const auto held = lock();
  std::size_t bytes = 1;
  for (const std::string& text : texts) bytes = std::max(bytes, text.size());
  const Handle type = text_type(bytes);
  const std::size_t at_once =
      std::clamp<std::size_t>(kSmallChunkBytes / bytes, 1, std::max<std::size_t>(texts.size(), 1));
  const Handle properties = chunked(at_once, 1, Codec::deflate);
  const Handle dataset = make_dataset(handle_.id(), name, type.id(), texts.size(), false, properties.id());
  if (dataset.id() < 0) fail_to_write(file_);
  for (std::size_t first = 0; first < texts.size(); first += at_once) {
    const std::size_t count = std::min(at_once, texts.size() - first);
    std::string padded(count * bytes, '\0');
    for (std::size_t i = 0; i < count; ++i) texts[first + i].copy(padded.data() + i * bytes, bytes);
    const Rows rows(dataset.id(), first, count);
    if (H5Dwrite(dataset.id(), type.id(), rows.in_memory.id(), rows.in_file.id(), H5P_DEFAULT, padded.data()) < 0) {
      fail_to_write(file_);
    }
  }
}

Column Group::make_column(const std::string& name, Type type, std::uint64_t chunk_rows, Codec codec) {
  const auto held = lock();
  const Handle properties = chunked(chunk_rows, width(type), codec);
  Column column;
  column.file_ = file_;
  column.name_ = path_of(name);
  column.type_ = type;
  column.chunk_rows_ = chunk_rows;
  column.direct_ = column.deflated_ = codec == Codec::deflate;
  column.shuffled_ = width(type) > 1;
  column.dataset_ = make_dataset(handle_.id(), name, stored_type(type), 0, true, properties.id());
  if (column.dataset_.id() < 0) fail_to_write(file_);
  return column;
}

File File::create(const std::string& path, const std::string& shown) {
  const auto held = lock();
  const Handle properties = creation_properties(H5P_FILE_CREATE), access = access_properties();
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_SEMI);  // close() fails while a column is open, rather than wait for it
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, properties.id(), access.id()));
  if (file.id() < 0) fail_to_write(shown);
  Group root(shown, "/", root_group(file.id()));
  return {shown, std::move(file), std::move(root)};
}

File File::open(const std::string& path) {
  const auto held = lock();
  const Handle access = access_properties();
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (file.id() < 0) fail_in(path, "is not an HDF5 file that can be opened");
  Group root(path, "/", root_group(file.id()));
  return {path, std::move(file), std::move(root)};
}

void File::close() {
  const auto held = lock();
  root_ = Group();
  if (H5Fflush(handle_.id(), H5F_SCOPE_LOCAL) < 0) fail_to_write(shown_);
  if (H5Fclose(handle_.release()) < 0) fail_to_write(shown_);
}

}  // namespace traces::hdf5
