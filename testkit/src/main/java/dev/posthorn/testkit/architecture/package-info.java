/** The shape that every module has. Read {@link dev.posthorn.testkit.architecture.ModuleArchitecture} first. */
@NullMarked
package dev.posthorn.testkit.architecture;

import org.jspecify.annotations.NullMarked;
