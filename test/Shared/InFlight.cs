using System.Globalization;
using System.Text;

namespace VectorPipe.TestHost;

/// <summary>The objects that tests have open, so that a test that hangs can describe the operations in flight.</summary>
internal static class InFlight
{
    private static readonly Lock _lock = new();
    private static readonly List<(WeakReference<object> Owner, Func<object, string> Describe)> _watched = [];

    /// <summary>Includes an object in the description for as long as it lives.</summary>
    /// <param name="owner">The object; it is not kept alive.</param>
    /// <param name="describe">Describes its operations in flight; runs on another thread than the one that uses the object.</param>
    public static T Watch<T>(T owner, Func<T, string> describe)
        where T : class
    {
        lock (_lock)
        {
            _watched.RemoveAll(watched => !watched.Owner.TryGetTarget(out _));
            _watched.Add((new WeakReference<object>(owner), o => describe((T)o)));
        }

        return owner;
    }

    /// <summary>Describes the operations in flight, and where the threads of this process wait.</summary>
    public static string Describe()
    {
        var text = new StringBuilder("In flight:");
        lock (_lock)
        {
            foreach ((WeakReference<object> weak, Func<object, string> describe) in _watched)
            {
                if (weak.TryGetTarget(out object? owner))
                    text.AppendLine().Append(CultureInfo.InvariantCulture, $"  {owner.GetType().Name}: {Try(() => describe(owner))}");
            }
        }

        text.AppendLine().Append("Threads:");
        if (Directory.Exists("/proc/self/task"))
        {
            foreach (string task in Directory.EnumerateDirectories("/proc/self/task"))
                text.AppendLine().Append(CultureInfo.InvariantCulture, $"  {Read(task, "comm")}: {Read(task, "wchan")}");
        }

        return text.ToString();
    }

    private static string Read(string task, string file) => Try(() => File.ReadAllText(Path.Combine(task, file)).TrimEnd());

    /// <summary>Puts an exception into the description: the object may change or go meanwhile.</summary>
    private static string Try(Func<string> describe)
    {
        try
        {
            return describe();
        }
        catch (Exception e)
        {
            return $"{e.GetType().Name}: {e.Message}";
        }
    }
}
