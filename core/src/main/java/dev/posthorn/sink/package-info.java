/** What Posthorn asks of a place to deliver to. */
@NullMarked
package dev.posthorn.sink;

import org.jspecify.annotations.NullMarked;
