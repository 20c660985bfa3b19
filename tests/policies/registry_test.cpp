#include <set>

#include "sim/error.h"
#include "tests/policies/play.h"

namespace {

std::string error_of(std::string_view list) {
  try {
    policies::parse_choices(list);
  } catch (const sim::UsageError& error) { return error.what(); }
  return "no error";
}

using Given = std::vector<std::pair<std::string, std::string>>;

TEST(Registry, EveryPolicyIsDescribedAndFoundByItsName) {
  std::set<std::string_view> names;
  for (const policies::Spec* spec : policies::all()) {
    EXPECT_TRUE(names.insert(spec->name).second) << spec->name;
    EXPECT_FALSE(spec->idea.empty()) << spec->name;
    EXPECT_FALSE(spec->paper.empty()) << spec->name;
    for (const auto& parameter : spec->parameters) EXPECT_FALSE(parameter.meaning.empty()) << parameter.name;
    EXPECT_EQ(policies::parse_choices(spec->name).at(0).spec, spec);
  }
}

// A default that is written out is the same policy.
TEST(Registry, DefaultsAreValues) {
  for (const policies::Spec* spec : policies::all()) {
    std::string text(spec->name);
    for (const auto& parameter : spec->parameters) {
      text += (text == spec->name ? ":" : ",") + std::string(parameter.name) + "=" + std::string(parameter.value);
    }
    const auto choices = policies::parse_choices(text);
    ASSERT_EQ(choices.size(), 1u);
    EXPECT_EQ(choices[0].text, text);
    EXPECT_EQ(choices[0].given.size(), spec->parameters.size());
  }
}

TEST(Registry, ReadsLists) {
  const auto choices = policies::parse_choices("s3_fifo:small=0.2,ghost=0.5,lru,clock:bits=2,clock");
  ASSERT_EQ(choices.size(), 4u);
  EXPECT_EQ(choices[0].text, "s3_fifo:small=0.2,ghost=0.5");
  EXPECT_EQ(choices[0].given, (Given{{"small", "0.2"}, {"ghost", "0.5"}}));
  EXPECT_EQ(choices[1].text, "lru");
  EXPECT_TRUE(choices[1].given.empty());
  EXPECT_EQ(choices[2].text, "clock:bits=2");
  EXPECT_EQ(choices[3].text, "clock");
}

TEST(Registry, NamesWhatThereIs) {
  std::string names;
  for (const policies::Spec* spec : policies::all()) names += " " + std::string(spec->name);
  EXPECT_EQ(error_of("lur"), "there is no policy 'lur'; there are" + names + "; did you mean 'lru'?");
  EXPECT_EQ(error_of("seive"), "there is no policy 'seive'; there are" + names + "; did you mean 'sieve'?");
  EXPECT_EQ(error_of("plumbing"), "there is no policy 'plumbing'; there are" + names);
  EXPECT_EQ(error_of("s3_fifo:smal=1"),
            "s3_fifo: there is no parameter 'smal'; there are small ghost variant; did you mean 'small'?");
  EXPECT_EQ(error_of("lru:bits=1"), "lru: 'bits=1': this policy has no parameters");
}

TEST(Registry, RefusesWhatIsNotAList) {
  EXPECT_EQ(error_of(""), "an empty policy in ''");
  EXPECT_EQ(error_of("lru,"), "an empty policy in 'lru,'");
  EXPECT_EQ(error_of("lru,,fifo"), "an empty policy in 'lru,,fifo'");
  EXPECT_EQ(error_of("bits=2"), "'bits=2' is a parameter without a policy before it, as in POLICY:bits=2");
  EXPECT_EQ(error_of("clock:"), "clock: '' should be PARAMETER=VALUE");
  EXPECT_EQ(error_of("clock:bits"), "clock: 'bits' should be PARAMETER=VALUE");
  EXPECT_EQ(error_of("clock:bits="), "clock: 'bits=' should be PARAMETER=VALUE");
  EXPECT_EQ(error_of("clock:bits=1,bits=2"), "clock: parameter 'bits' is given twice");
}

TEST(Registry, RefusesBadValuesAtOnce) {
  EXPECT_EQ(error_of("clock:bits=two"), "clock:bits=two: bits is a number, not 'two'");
  EXPECT_EQ(error_of("clock:bits=nan"), "clock:bits=nan: bits is a number, not 'nan'");
  for (const char* bits : {"0", "8", "1.5", "-1"}) {
    EXPECT_NE(error_of(std::string("clock:bits=") + bits).find("bits is a whole number, 1 to 7"), std::string::npos)
        << bits;
  }
  EXPECT_EQ(error_of("s3_fifo:small=2"), "s3_fifo:small=2: small is a share, 0 to 1, not '2'");
  EXPECT_EQ(error_of("s3_fifo:small=10%"), "s3_fifo:small=10%: small is a number, not '10%'");
  EXPECT_EQ(error_of("s3_fifo:ghost=-1"), "s3_fifo:ghost=-1: ghost is a multiple of the capacity, at least 0");
  EXPECT_EQ(error_of("s3_fifo:variant=best"), "s3_fifo:variant=best: variant is paper or libcachesim, not 'best'");
}

TEST(Registry, ParametersReachThePolicy) {
  const auto kept = [](std::string_view list) {
    // 0 is used three more times, and then two others want its room: a wide counter keeps it.
    support::SmallTrace trace;
    trace.footprint = 8;
    trace.blocks = {0, 0, 0, 0, 1, 2, 3};
    const auto policy = support::choice(list).make(2, 8);
    support::play(*policy, trace, 0, trace.blocks.size(), false);
    return policy->contains(0);
  };
  EXPECT_FALSE(kept("clock"));
  EXPECT_TRUE(kept("clock:bits=3"));
}

}  // namespace
