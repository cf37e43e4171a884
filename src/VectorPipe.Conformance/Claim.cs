using System.Runtime.CompilerServices;

namespace VectorPipe.Conformance;

/// <summary>Claims about a device; a false one throws.</summary>
internal static class Claim
{
    public static void Equal<T>(T expected, T found, string of, [CallerMemberName] string check = "")
    {
        if (!EqualityComparer<T>.Default.Equals(expected, found))
            throw new ConformanceException($"{check}: expected {of} {expected}, found {found}.");
    }

    public static void That(bool isTrue, string expected, [CallerMemberName] string check = "")
    {
        if (!isTrue)
            throw new ConformanceException($"{check}: expected {expected}.");
    }

    /// <summary>The action throws an exception of the type, or one that derives from it.</summary>
    public static void Throws<T>(Action action, string what, [CallerMemberName] string check = "")
        where T : Exception
    {
        string found = "none";
        try
        {
            action();
        }
        catch (T)
        {
            return;
        }
        catch (Exception e) when (e is not ConformanceException)
        {
            found = $"{e.GetType().Name}: {e.Message}";
        }

        throw new ConformanceException($"{check}: expected a {typeof(T).Name} for {what}, found {found}.");
    }
}
