// One growing array of a trace, for plain values. Unlike std::vector it grows by realloc, which for large blocks moves
// pages rather than copies them, and it never touches memory before it is used: a trace that fills most of the
// machine's memory can still be read.
#pragma once

#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace traces {

template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Column() = default;
  // `size` values, not yet set.
  explicit Column(std::size_t size) { resize(size); }
  Column(Column&& other) noexcept { swap(other); }
  Column& operator=(Column&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Column() { std::free(data_); }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  operator std::span<const T>() const { return {data_, size_}; }
  std::span<const T> span() const { return {data_, size_}; }

  void push_back(T value) {
    if (size_ == capacity_) reserve(capacity_ + capacity_ / 2 + 1024);
    data_[size_++] = value;
  }
  // Values past the old size are not yet set.
  void resize(std::size_t size) {
    if (size > capacity_) reserve(size);
    size_ = size;
  }
  void reserve(std::size_t capacity) {
    if (capacity <= capacity_) return;
    void* grown = std::realloc(static_cast<void*>(data_), capacity * sizeof(T));
    if (!grown) throw std::bad_alloc();
    data_ = static_cast<T*>(grown);
    capacity_ = capacity;
  }

 private:
  void swap(Column& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace traces
