/** What can be set, under {@code posthorn.*}. */
@NullMarked
package dev.posthorn.server.settings;

import org.jspecify.annotations.NullMarked;
