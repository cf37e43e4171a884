using NUnit.Framework;
using VectorPipe.Storage.Files;

namespace VectorPipe.Tests.Storage.Files;

/// <summary>A rename that is refused for a moment succeeds where the system refuses what is open, and fails at once elsewhere.</summary>
public sealed class PatientRenameTests
{
    [Test]
    public void A_refusal_that_passes_is_waited_for()
    {
        int calls = 0;
        PatientRename.Move("a", "b", TimeSpan.FromMinutes(1), (from, to) =>
        {
            Assert.That((from, to), Is.EqualTo(("a", "b")));
            if (++calls < 5)
                throw calls % 2 == 0 ? new UnauthorizedAccessException("denied") : new IOException("in use");
        });
        Assert.That(calls, Is.EqualTo(5));
    }

    [Test]
    public void A_refusal_that_stays_is_thrown_in_the_end()
    {
        int calls = 0;
        Assert.That(
            () => PatientRename.Move("a", "b", TimeSpan.FromMilliseconds(50), (_, _) => Refuse(new IOException($"in use {++calls}"))),
            Throws.TypeOf<IOException>().With.Message.StartsWith("in use"));
        Assert.That(calls, Is.GreaterThan(1));
    }

    [Test]
    public void A_missing_file_and_a_system_that_refuses_nothing_open_are_not_waited_for([Values] bool isPatient)
    {
        int calls = 0;
        Exception error = isPatient ? new FileNotFoundException("missing") : new UnauthorizedAccessException("denied");
        Assert.That(
            () => PatientRename.Move("a", "b", isPatient ? TimeSpan.FromMinutes(1) : TimeSpan.Zero, (_, _) =>
            {
                calls++;
                Refuse(error);
            }),
            Throws.Exception.SameAs(error));
        Assert.That(calls, Is.EqualTo(1));
    }

    private static void Refuse(Exception error) => throw error;
}
