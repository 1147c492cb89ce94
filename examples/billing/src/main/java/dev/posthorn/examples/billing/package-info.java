/** A service that books the orders of another one, each event once. */
@NullMarked
package dev.posthorn.examples.billing;

import org.jspecify.annotations.NullMarked;
