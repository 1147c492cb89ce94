/** Delivers events to HTTP subscribers. One public type and its settings. */
@NullMarked
package dev.posthorn.http;

import org.jspecify.annotations.NullMarked;
