/** What happens, told to those who watch as it happens. Read {@code StreamController} first. */
@NullMarked
package dev.posthorn.server.stream;

import org.jspecify.annotations.NullMarked;
