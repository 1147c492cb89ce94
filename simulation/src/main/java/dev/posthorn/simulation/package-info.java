/** The relay's classes in a modelled world. */
@NullMarked
package dev.posthorn.simulation;

import org.jspecify.annotations.NullMarked;
