/** Events as an application builds them and as the log gives them back. */
@NullMarked
package dev.posthorn.event;

import org.jspecify.annotations.NullMarked;
