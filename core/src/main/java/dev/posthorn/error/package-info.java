/** The one exception of Posthorn and its codes. */
@NullMarked
package dev.posthorn.error;

import org.jspecify.annotations.NullMarked;
