/** The one exception of Posthorn and its codes, the rules whose breach it tells of, and what was probably meant. */
@NullMarked
package dev.posthorn.error;

import org.jspecify.annotations.NullMarked;
