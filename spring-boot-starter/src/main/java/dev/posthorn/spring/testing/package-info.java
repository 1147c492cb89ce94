/**
 * For tests of applications: what was recorded, and a relay stepped by hand. Read {@link
 * dev.posthorn.spring.testing.PosthornTest} first; all that is public is for users.
 */
@NullMarked
package dev.posthorn.spring.testing;

import org.jspecify.annotations.NullMarked;
