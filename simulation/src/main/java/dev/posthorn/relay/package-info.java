/** The relay's classes in a modelled world. */
@NullMarked
package dev.posthorn.relay;

import org.jspecify.annotations.NullMarked;
