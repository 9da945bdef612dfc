// The search for a plan of a given capacity.
//
// A section is a stretch of time in which no buffer begins or ends. A plan in which nothing can be
// moved down is found from below: in a section that is filled to some height either one of its
// buffers starts at just this height, or there is a gap. Each step decides this of one section: of
// the one that leaves the fewest choices, in proportion to how often it could not be filled before
// (the weighting of constraints by their failures of Boussemart, Hemery, Lecoutre and Sais). So
// buffers are not placed in the order of their offsets; where another one could still get below a
// buffer, that choice has to wait.
//
// A branch ends where some section cannot take what is left to be placed in it: its buffers can
// start no lower than their lowest free offsets, and stacked in the order of these they reach above
// the capacity. What it was that did not fit concerns a stretch of time. Decisions outside of this
// stretch would not change it, so they are taken back without trying what else they might have been
// (backjumping).
//
// What is tried first decides between moments and days. Therefore a search is cut off and begun
// again in another order, with the weights that it found.
#ifndef TESSERA_PLANNING_SEARCH_H_
#define TESSERA_PLANNING_SEARCH_H_

#include <cstdint>
#include <vector>

#include "planning/pack.h"

namespace tessera::planning {

class Search {
 public:
  // Buffers that are live at some time, of some size.
  Search(std::vector<Buffer> buffers, int64_t capacity);

  enum Outcome : uint8_t { kFound, kNone, kCutOff };
  // Tries at most `effort`, in steps of some hundreds of buffers that are live for some sections
  // each: a step with more to look at counts for several. `kNone` is a proof. Adds what it tried to
  // `*spent`.
  Outcome Run(int64_t effort, int64_t* spent);
  const std::vector<int64_t>& offsets() const { return offsets_; }

 private:
  static size_t At(int32_t index) { return static_cast<size_t>(index); }

  // Sections, [first, last).
  struct Stretch {
    int32_t first, last;
    void Extend(const Stretch& other);
    bool Meets(const Stretch& other) const { return first < other.last && other.first < last; }
    bool Has(int32_t section) const { return first <= section && section < last; }
  };
  struct Section {
    int64_t filled = 0;  // nothing starts lower any more
    int64_t top = 0;     // of the buffers placed in it, from which `filled` differs by gaps
    Stretch reason;      // what it depends on that `filled` is no less
  };
  // What one section holds next, and how far the choices have been tried.
  struct Decision {
    int32_t section;
    int64_t offset;  // that the choices start at
    std::vector<int32_t> choices;
    int64_t gap;            // how high the section is filled with a gap; 0: none is left
    size_t tried = 0;       // of the choices, then the gap
    size_t changes = 0;     // that had been made before
    Stretch conflict;       // what the failure of all that was tried depends on
    Stretch last = {0, 0};  // what the last one that was tried changed
    bool Left() const { return tried < choices.size() || (tried == choices.size() && gap > 0); }
  };
  struct Change {
    int32_t section;  // or, with -1, a buffer was placed
    Section before;
  };

  void Order(size_t round);
  Outcome Explore(int64_t effort, int64_t* spent);
  // Raises what is filled, and says what to decide next. False: some section does not hold what is
  // left, and `*conflict` is what that depends on.
  bool Decide(Decision* decision, Stretch* conflict);
  void Try(Decision& decision);
  // To the latest decision with a choice left that the conflict is about; false: there is none.
  bool StepBack(std::vector<Decision>& decisions, Stretch conflict);
  void Raise();
  bool Stacks(Stretch* conflict);
  void LookBelow();
  bool GapFits(int32_t section) const {
    return hasty_ ? reached_[At(section)] < capacity_ : with_gap_[At(section)] <= capacity_;
  }
  int32_t Choose(Stretch* conflict);
  // The lowest offset above what is filled that a buffer of the section may ever start at.
  int64_t NextStart(int32_t section, Stretch* conflict) const;
  // What the lowest offsets of the buffers left in a section depend on, and the choices there.
  Stretch ReasonOf(int32_t section) const;
  Stretch ReasonOfChoices(int32_t section) const;
  void AddReason(int32_t buffer, Stretch* stretch) const;
  void Set(int32_t section, const Section& now);
  void Place(int32_t buffer, int64_t offset);
  void TakeBack(size_t changes);

  std::vector<Buffer> buffers_;
  const int64_t capacity_;
  int64_t unit_ = 1;  // divides all sizes, and all offsets there can be
  std::vector<Stretch> spans_;
  std::vector<double> load_;    // by section, of all its buffers
  std::vector<double> weight_;  // by section, from 1: how often it could not be filled
  std::vector<int32_t> rank_;   // by buffer, in what order choices are tried
  bool low_first_ = false;      // sections that are filled less are decided of earlier
  // Where nothing starts at the height that a section is filled to, what is left reaches higher in
  // it. This is not so where there is a gap further up anyway: to be without a plan then proves
  // nothing, and the search goes on without this.
  bool hasty_ = true;
  std::vector<int64_t> offsets_;

  std::vector<int32_t> left_;  // buffers that are not placed, in the order of their ranks
  std::vector<int32_t> placed_;
  std::vector<Section> sections_;
  std::vector<Change> changes_;
  int64_t spans_left_ = 0;  // the sections of the buffers left, summed up

  // Of the step at hand: by buffer, the lowest offset that is free, whether another one could get
  // below it there, and whether it lies on something; by section, the buffers left, how high they
  // reach when stacked, also above a gap, and the two lowest tops of one of them.
  std::vector<int64_t> free_;
  std::vector<uint8_t> below_, lies_;
  std::vector<std::vector<int32_t>> in_;
  std::vector<int64_t> reached_, with_gap_, least_, second_;
  std::vector<int32_t> least_of_, order_;
};

}  // namespace tessera::planning

#endif  // TESSERA_PLANNING_SEARCH_H_
