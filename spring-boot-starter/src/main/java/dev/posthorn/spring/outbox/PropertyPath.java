package dev.posthorn.spring.outbox;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/** The way from an event to its key: properties of records and beans, separated by dots. */
record PropertyPath(Class<?> start, String path) {

    /** The text of the value at its end. */
    String textOf(Object event) {
        Object value = event;
        for (String property : List.of(path.split("\\.", -1))) {
            value = read(value, property);
        }
        requireOneText(value);
        return value.toString();
    }

    /** Otherwise events of one aggregate would have different keys, and no order. */
    private void requireOneText(@Nullable Object value) {
        if (value == null) {
            return;
        }
        Class<?> type = value.getClass();
        if (type.isArray() || value instanceof Iterable || value instanceof Map) {
            throw refused("it ends in a " + type.getTypeName() + ", which is no single value");
        }
        Method text = ReflectionUtils.findMethod(type, "toString");
        if (text == null || text.getDeclaringClass() == Object.class) {
            throw refused("it ends in a " + type.getName() + ", which has no toString() of its own, so that its text is"
                    + " another one every time");
        }
        if (type.isRecord()) {
            for (RecordComponent component : type.getRecordComponents()) {
                requireOneText(call(component.getAccessor(), value, component.getName()));
            }
        }
    }

    private Object read(Object owner, String property) {
        Method accessor = accessor(owner.getClass(), property);
        if (accessor == null) {
            throw refused(owner.getClass().getName() + " has no property '" + property
                    + "' that can be read: neither a method " + property + "() nor a getter");
        }
        Object value = unwrapped(call(accessor, owner, property));
        if (value == null) {
            throw refused("'" + property + "' is null");
        }
        return value;
    }

    private @Nullable Object call(Method accessor, Object owner, String property) {
        try {
            ReflectionUtils.makeAccessible(accessor);
            return accessor.invoke(owner);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalArgumentException(message("'" + property + "' cannot be read: " + e), e);
        }
    }

    /** What is in an Optional, of whatever kind. */
    private static @Nullable Object unwrapped(@Nullable Object value) {
        if (value instanceof Optional<?> optional) {
            return optional.orElse(null);
        }
        if (value instanceof OptionalLong optional) {
            return optional.isPresent() ? optional.getAsLong() : null;
        }
        if (value instanceof OptionalInt optional) {
            return optional.isPresent() ? optional.getAsInt() : null;
        }
        return value;
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
