/** Orders and their billing without a framework. */
@NullMarked
package dev.posthorn.examples.plainjdbc;

import org.jspecify.annotations.NullMarked;
