/**
 * Takes one rule at a time out of a copy of the sources and sees to it that the test of the rule notices. Read {@link
 * dev.posthorn.mutants.Hunt} first; the mutants themselves are in {@code src/main/mutants}. For tests of this
 * repository only.
 */
@NullMarked
package dev.posthorn.mutants;

import org.jspecify.annotations.NullMarked;
