package dev.posthorn.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** The way from an event to its key: properties of records and beans, separated by dots. */
record PropertyPath(Class<?> start, String path) {

    /** The value at its end. */
    Object valueOf(Object event) {
        Object value = event;
        for (String property : List.of(path.split("\\.", -1))) {
            value = read(value, property);
        }
        return value;
    }

    private Object read(Object owner, String property) {
        Method accessor = accessor(owner.getClass(), property);
        if (accessor == null) {
            throw refused(owner.getClass().getName() + " has no property '" + property
                    + "' that can be read: neither a method " + property + "() nor a getter");
        }
        try {
            ReflectionUtils.makeAccessible(accessor);
            Object value = accessor.invoke(owner);
            if (value == null) {
                throw refused("'" + property + "' is null");
            }
            return value;
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalArgumentException(message("'" + property + "' cannot be read: " + e), e);
        }
    }

    private static @Nullable Method accessor(Class<?> type, String property) {
        String name = StringUtils.capitalize(property);
        return Stream.of(property, "get" + name, "is" + name)
                .filter(each -> !each.isEmpty())
                .map(each -> ReflectionUtils.findMethod(type, each))
                .filter(method -> method != null && method.getReturnType() != void.class)
                .findFirst()
                .orElse(null);
    }

    private IllegalArgumentException refused(String why) {
        return new IllegalArgumentException(message(why));
    }

    private String message(String why) {
        return "the key of " + start.getName() + ", @OutboxEvent(key = \"" + path + "\"), cannot be found: " + why
                + ". Name a property that every event has";
    }
}
