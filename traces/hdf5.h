// A thin layer over the HDF5 C library for what our files hold: one-dimensional columns, and attributes that are a
// number or a text. Objects close themselves, and every error is a DataError that names the file.
//
// The same calls write the same bytes: no times are recorded. All that is written is covered by a checksum (of HDF5's
// own in version 1.10's file format, or of deflate), so a damaged file is told from a good one.
//
// The library is not safe in several threads: each call here takes one lock. encode_chunk() and decode_chunk() are
// outside of it, so the work of compression can be done in parallel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace traces::hdf5 {

enum class Type : std::uint8_t { u8, u16, u32, u64, i64, f64 };

std::size_t width(Type);  // in bytes
template <class T>
inline constexpr Type kTypeOf = [] {
  static_assert(sizeof(T) == 0, "not a column's type");
  return Type::u8;
}();
template <>
inline constexpr Type kTypeOf<std::uint8_t> = Type::u8;
template <>
inline constexpr Type kTypeOf<std::uint16_t> = Type::u16;
template <>
inline constexpr Type kTypeOf<std::uint32_t> = Type::u32;
template <>
inline constexpr Type kTypeOf<std::uint64_t> = Type::u64;
template <>
inline constexpr Type kTypeOf<std::int64_t> = Type::i64;
template <>
inline constexpr Type kTypeOf<double> = Type::f64;

enum class Codec : std::uint8_t {
  deflate,  // with shuffle: any HDF5 reader opens it
  lz4       // with shuffle: HDF5's registered filter 32004, which is a plug-in
};
// Whether the library finds what it needs to write and read this.
bool available(Codec);

// An open object of the library, closed with its owner.
class Handle {
 public:
  using Id = std::int64_t;

  Handle() = default;
  explicit Handle(Id id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(other.id_) { other.id_ = -1; }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle();
  Id id() const { return id_; }
  Id release() { return std::exchange(id_, -1); }

 private:
  Id id_ = -1;
};

// A column that is read or written in parts, and not held in memory. Rows are counted from 0.
class Column {
 public:
  const std::string& name() const { return name_; }  // as errors call it: "/trace/op"
  Type type() const { return type_; }
  std::uint64_t rows() const { return rows_; }
  std::uint64_t chunk_rows() const { return chunk_rows_; }  // 0: not in chunks

  // Whether read_chunk() and write_chunk() may be used: shuffle and deflate, and little-endian.
  bool direct() const { return direct_; }
  // The stored bytes of the chunk that begins at `row`, for decode_chunk().
  void read_chunk(std::uint64_t row, std::vector<std::byte>& stored) const;
  // Rows `row` ... `row + count - 1` by way of the library.
  void read_rows(std::uint64_t row, std::uint64_t count, void* to) const;

  // Makes the column at least so long: before write_*, which must be inside.
  void grow(std::uint64_t rows);
  // `stored` is from encode_chunk(), of a whole chunk: the last one is filled up.
  void write_chunk(std::uint64_t row, std::span<const std::byte> stored);
  void write_rows(std::uint64_t row, std::uint64_t count, const void* from);
  // Cuts the column to its final length.
  void shrink(std::uint64_t rows);

 private:
  friend class Group;
  void resize(std::uint64_t rows);
  [[noreturn]] void fail(const std::string& what) const;

  std::string file_, name_;
  Handle dataset_;
  Type type_ = Type::u8;
  std::uint64_t rows_ = 0, chunk_rows_ = 0;
  bool direct_ = false, shuffled_ = false, deflated_ = false;
  friend void decode_chunk(const Column&, std::span<const std::byte>, std::byte*);
};

// The bytes to store for one whole chunk of a direct column: shuffled and deflated.
std::vector<std::byte> encode_chunk(const Column&, const void* values);
// The other way, into room for chunk_rows() values. Throws DataError when the bytes are damaged.
void decode_chunk(const Column&, std::span<const std::byte> stored, std::byte* values);

class Group {
 public:
  Group() = default;

  // --- What a group holds ---
  bool has(const std::string& name) const;
  Group open(const std::string& name) const;
  // An attribute; nullopt where there is none of that name. Throws when it is of another kind, or does not fit.
  std::optional<std::string> text(const std::string& name) const;
  std::optional<std::int64_t> integer(const std::string& name) const;
  std::optional<double> number(const std::string& name) const;
  // Whole columns. `Type` must be what is stored, but for the order of bytes.
  template <class T>
  std::vector<T> read(const std::string& name) const {
    const Column column = open_column(name, kTypeOf<T>);
    std::vector<T> values(column.rows());
    if (!values.empty()) column.read_rows(0, values.size(), values.data());
    return values;
  }
  std::vector<std::string> read_texts(const std::string& name) const;
  Column open_column(const std::string& name, Type) const;

  // --- Adding to it ---
  Group make(const std::string& name);
  void set(const std::string& name, std::string_view text);
  void set(const std::string& name, const char* text) { set(name, std::string_view(text)); }
  void set(const std::string& name, std::int64_t value);
  void set(const std::string& name, std::uint64_t value);
  void set(const std::string& name, double value);
  template <class T>
  void write(const std::string& name, std::span<const T> values) {
    write_numbers(name, kTypeOf<T>, values.size(), values.data());
  }
  template <class T>
  void write(const std::string& name, const std::vector<T>& values) {
    write(name, std::span<const T>(values));
  }
  void write(const std::string& name, const std::vector<std::string>& texts);
  // A column of no rows yet, to be written in parts.
  Column make_column(const std::string& name, Type, std::uint64_t chunk_rows, Codec);

 private:
  friend class File;
  Group(std::string file, std::string path, Handle handle)
      : file_(std::move(file)), path_(std::move(path)), handle_(std::move(handle)) {}
  void write_numbers(const std::string& name, Type, std::uint64_t rows, const void* values);
  std::string path_of(const std::string& name) const;
  [[noreturn]] void fail(const std::string& name, const std::string& what) const;

  std::string file_, path_;  // as errors call them
  Handle handle_;
};

class File {
 public:
  // An empty file at `path`, in place of what may be there; errors call it `shown`.
  static File create(const std::string& path, const std::string& shown);
  // For reading.
  static File open(const std::string& path);

  Group& root() { return root_; }
  // Writes out all that the library holds back: a file that was written is complete only once this has returned.
  // Columns and groups of the file must be gone.
  void close();

 private:
  File(std::string shown, Handle handle, Group root)
      : shown_(std::move(shown)), handle_(std::move(handle)), root_(std::move(root)) {}
  std::string shown_;
  Handle handle_;
  Group root_;
};

}  // namespace traces::hdf5
