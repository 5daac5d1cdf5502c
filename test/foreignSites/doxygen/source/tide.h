/** @file
 *  Tables of tides. */

/** The moon. */
struct Moon {
  /** Days since the new moon. */
  double age;
};

/** Heights of the water. */
namespace tide {
/** The turn of a tide. */
class Turn {
 public:
  /** Whether the water rises after it. */
  bool rises() const;
};
/** A turn as older programs name it. */
class turn {
 public:
  /** The next one. */
  Turn next() const;
};
}
