/** Guards: each event is forwarded once to a system that cannot be changed, and nothing in doubt is repeated by itself. */
@NullMarked
package dev.posthorn.server.guard;

import org.jspecify.annotations.NullMarked;
