package dev.posthorn.spring;

import dev.posthorn.event.Event;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;
import tools.jackson.databind.json.JsonMapper;

/** A method that takes events. */
record ListenerMethod(Object bean, Method method, InboxListener annotation) {

    private static final String SHAPES =
            "Let it take an Event, the payload, the payload and the Event, or a List<Event> alone";

    ListenerMethod {
        ReflectionUtils.makeAccessible(method);
    }

    boolean takesBatches() {
        ResolvableType first = ResolvableType.forMethodParameter(method, 0);
        return method.getParameterCount() == 1
                && first.resolve() == List.class
                && first.getGeneric().resolve() == Event.class;
    }

    void requireUsable() {
        Class<?>[] types = method.getParameterTypes();
        boolean one = types.length == 1;
        boolean payloadAndEvent = types.length == 2 && types[0] != Event.class && types[1] == Event.class;
        if (!one && !payloadAndEvent) {
            throw new SetupException(
                    this + " cannot take events: it has the parameters " + Arrays.toString(types), SHAPES);
        }
    }

    void handle(Event event, JsonMapper json) throws Exception {
        Type[] types = method.getGenericParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = types[i] == Event.class ? event : payload(event, types[i], json);
        }
        call(arguments);
    }

    void handle(List<Event> events) throws Exception {
        call(events);
    }

    private static Object payload(Event event, Type type, JsonMapper json) {
        return type == byte[].class ? event.payload() : json.readValue(event.payload(), json.constructType(type));
    }

    private void call(Object... arguments) throws Exception {
        try {
            method.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception cause) {
                throw cause;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return "@InboxListener " + method.getDeclaringClass().getName() + "." + method.getName();
    }
}
