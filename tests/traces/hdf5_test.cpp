#include "traces/hdf5.h"

#include <gtest/gtest.h>

#include "sim/random.h"
#include "tests/support/trace_files.h"

namespace {

namespace hdf5 = traces::hdf5;

std::vector<std::uint64_t> numbers(std::size_t count) {
  std::vector<std::uint64_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = sim::random_word(1, i) % 1000 + i;
  return values;
}

void write_example(const std::string& path) {
  auto file = hdf5::File::create(path, "shown.h5");
  {
    hdf5::Group group = file.root().make("table");
    group.set("text", "größe");
    group.set("empty", "");
    group.set("negative", std::int64_t{-5});
    group.set("large", ~std::uint64_t{0});
    group.set("share", 0.25);
    group.set("long", std::string(200'000, 'x'));
    group.write("numbers", numbers(300'000));
    group.write("none", std::vector<std::uint64_t>{});
    group.write("ratios", std::vector<double>{0.5, -1});
    group.write("signed", std::vector<std::int64_t>{-1, 1});
    group.write("names", std::vector<std::string>{"a", "", "länger"});
    group.write("no_names", std::vector<std::string>{});
  }
  file.close();
}

TEST(Hdf5, ReadsWhatItWrote) {
  const support::ScratchFolder folder;
  write_example(folder.path("x.h5"));
  auto file = hdf5::File::open(folder.path("x.h5"));
  ASSERT_TRUE(file.root().has("table"));
  EXPECT_FALSE(file.root().has("other"));
  const hdf5::Group group = file.root().open("table");
  EXPECT_EQ(group.text("text"), "größe");
  EXPECT_EQ(group.text("empty"), "");
  EXPECT_EQ(group.text("absent"), std::nullopt);
  EXPECT_EQ(group.text("long"), std::string(200'000, 'x'));
  EXPECT_EQ(group.integer("negative"), -5);
  EXPECT_EQ(group.number("share"), 0.25);
  EXPECT_EQ(group.read<std::uint64_t>("numbers"), numbers(300'000));
  EXPECT_TRUE(group.read<std::uint64_t>("none").empty());
  EXPECT_EQ(group.read<double>("ratios"), (std::vector<double>{0.5, -1}));
  EXPECT_EQ(group.read<std::int64_t>("signed"), (std::vector<std::int64_t>{-1, 1}));
  EXPECT_EQ(group.read_texts("names"), (std::vector<std::string>{"a", "", "länger"}));
  EXPECT_TRUE(group.read_texts("no_names").empty());
}

TEST(Hdf5, WritesEqualBytes) {
  const support::ScratchFolder folder;
  write_example(folder.path("x.h5"));
  write_example(folder.path("y.h5"));
  EXPECT_TRUE(support::slurp(folder.path("x.h5")) == support::slurp(folder.path("y.h5")));
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
    return "";
  } catch (const sim::DataError& error) { return error.what(); }
}

TEST(Hdf5, SaysWhatIsWrongAndWhere) {
  const support::ScratchFolder folder;
  write_example(folder.path("x.h5"));
  auto file = hdf5::File::open(folder.path("x.h5"));
  const hdf5::Group group = file.root().open("table");
  const auto expect = [&](const std::string& part, const std::function<void()>& act) {
    EXPECT_NE(error_of(act).find(part), std::string::npos) << error_of(act);
    EXPECT_EQ(error_of(act).find(folder.path("x.h5")), 0u) << error_of(act);
  };
  expect("/table/absent: there is no such column", [&] { group.read<double>("absent"); });
  expect("/table/numbers: should be a column of floating 64-bit", [&] { group.read<double>("numbers"); });
  expect("/table/numbers: should be a column of signed", [&] { group.read<std::int64_t>("numbers"); });
  expect("/table/numbers: should be a column of texts", [&] { group.read_texts("numbers"); });
  expect("/table/names: should be a column of", [&] { group.read<std::uint64_t>("names"); });
  expect("/table/share: this attribute should be one text", [&] { group.text("share"); });
  expect("/table/text: this attribute should be one whole number", [&] { group.integer("text"); });
  expect("/table/large: this attribute should be one whole number below 2^63", [&] { group.integer("large"); });
  expect("/table/numbers: is not a group", [&] { group.open("numbers"); });
  EXPECT_NE(error_of([&] { hdf5::File::open(folder.file("t.h5", "text")); }).find("t.h5: is not an HDF5 file"),
            std::string::npos);
  EXPECT_NE(error_of([&] { hdf5::File::create(folder.path("no/x.h5"), "shown.h5"); }).find("shown.h5: cannot write"),
            std::string::npos);
}

TEST(Hdf5, GrowsAColumnByChunks) {
  const support::ScratchFolder folder;
  constexpr std::uint64_t kChunk = 1000;
  const auto values = numbers(3 * kChunk);
  {
    auto file = hdf5::File::create(folder.path("x.h5"), "x.h5");
    {
      hdf5::Column column = file.root().make_column("a", hdf5::Type::u64, kChunk, hdf5::Codec::deflate);
      for (std::uint64_t row = 0; row < values.size(); row += kChunk) {
        column.grow(row + kChunk);
        column.write_chunk(row, encode_chunk(column, values.data() + row));
      }
      column.shrink(2500);
    }
    file.close();
  }
  auto file = hdf5::File::open(folder.path("x.h5"));
  const hdf5::Column column = file.root().open_column("a", hdf5::Type::u64);
  EXPECT_EQ(column.rows(), 2500u);
  ASSERT_TRUE(column.direct());
  std::vector<std::uint64_t> chunk(kChunk);
  std::vector<std::byte> stored;
  column.read_chunk(kChunk, stored);
  decode_chunk(column, stored, reinterpret_cast<std::byte*>(chunk.data()));
  EXPECT_TRUE(std::equal(chunk.begin(), chunk.end(), values.begin() + kChunk));
  // By the library's own filters the values are the same.
  column.read_rows(kChunk, kChunk, chunk.data());
  EXPECT_TRUE(std::equal(chunk.begin(), chunk.end(), values.begin() + kChunk));
  stored[stored.size() / 2] ^= std::byte{0x10};
  EXPECT_THROW(decode_chunk(column, stored, reinterpret_cast<std::byte*>(chunk.data())), sim::DataError);
}

TEST(Hdf5, RefusesRowsThatWereNeverWritten) {
  const support::ScratchFolder folder;
  {
    auto file = hdf5::File::create(folder.path("x.h5"), "x.h5");
    { file.root().make_column("a", hdf5::Type::u64, 1000, hdf5::Codec::deflate).grow(std::uint64_t{1} << 60); }
    file.close();
  }
  auto file = hdf5::File::open(folder.path("x.h5"));
  EXPECT_NE(error_of([&] { file.root().read<std::uint64_t>("a"); }).find("never written"), std::string::npos);
}

TEST(Hdf5, DoesNotCloseAFileUnderAnOpenColumn) {
  const support::ScratchFolder folder;
  auto file = hdf5::File::create(folder.path("x.h5"), "x.h5");
  const hdf5::Column column = file.root().make_column("a", hdf5::Type::u8, 10, hdf5::Codec::deflate);
  EXPECT_THROW(file.close(), sim::DataError);
}

}  // namespace
