/**
 * A sink's own {@code Connections}, what goes over them, and what ends it in time ({@code RequestCutoff}). Public for
 * the HTTP sink alone.
 */
@NullMarked
package dev.posthorn.http.client;

import org.jspecify.annotations.NullMarked;
