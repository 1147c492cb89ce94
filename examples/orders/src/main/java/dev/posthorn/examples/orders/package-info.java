/** A service that places orders in its database and tells of them by events of the same transactions. */
@NullMarked
package dev.posthorn.examples.orders;

import org.jspecify.annotations.NullMarked;
