/** For tests of applications: settable clocks, a sink that remembers, a relay stepped by hand. */
@NullMarked
package dev.posthorn.testing;

import org.jspecify.annotations.NullMarked;
