/** The one exception of Posthorn and its codes, and the rules whose breach it tells of. */
@NullMarked
package dev.posthorn.error;

import org.jspecify.annotations.NullMarked;
