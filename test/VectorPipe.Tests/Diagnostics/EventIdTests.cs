using System.Reflection;
using Microsoft.Extensions.Logging;
using NUnit.Framework;

namespace VectorPipe.Tests.Diagnostics;

/// <summary>Users look log messages up by event id.</summary>
internal sealed class EventIdTests
{
    private const BindingFlags Methods =
        BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

    [Test]
    public void No_two_log_messages_have_the_same_event_id()
    {
        (int Id, string Name)[] events =
        [
            .. from type in typeof(BuildOptions).Assembly.GetTypes()
               from method in type.GetMethods(Methods)
               let message = method.GetCustomAttribute<LoggerMessageAttribute>()
               where message is not null
               select (message.EventId, $"{type.Name}.{method.Name}"),
        ];

        Assert.That(events, Has.Length.AtLeast(20), "the messages of all log classes are seen");
        IEnumerable<string> shared =
            events.GroupBy(message => message.Id).Where(group => group.Count() > 1).Select(group =>
                $"{group.Key}: {string.Join(", ", group.Select(message => message.Name))}");
        Assert.That(shared, Is.Empty);
    }
}
