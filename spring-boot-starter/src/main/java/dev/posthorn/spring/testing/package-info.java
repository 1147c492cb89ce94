/** For tests of applications: what was recorded, and a relay stepped by hand. */
@NullMarked
package dev.posthorn.spring.testing;

import org.jspecify.annotations.NullMarked;
