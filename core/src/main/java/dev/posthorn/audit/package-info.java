/** Writes down who did what, in the transaction that does it, and finds it again. */
@NullMarked
package dev.posthorn.audit;

import org.jspecify.annotations.NullMarked;
