/**
 * Every property under {@code posthorn.}, and the check that each that is set is one that there is. Read {@link
 * dev.posthorn.spring.settings.PosthornProperties} first. The settings are public for the other rooms, which are made of
 * them; users set them by name.
 */
@NullMarked
package dev.posthorn.spring.settings;

import org.jspecify.annotations.NullMarked;
