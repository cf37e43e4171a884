using VectorPipe.Server.Filtering;

namespace VectorPipe.Server.Commands;

/// <summary>The options of VSIM, behind the vector.</summary>
internal record struct SimilarityArguments()
{
    public const int DefaultCount = 10;
    public const int MostFilterBytes = 16 << 10;

    /// <summary>Elements that a filter looks at for each hit, unless more are asked for.</summary>
    public const int FilterEffortPerHit = 100;

    private const string Tracing = "XTRACE";
    private const string GoingOn = "XCURSOR";

    private const int MostCount = 65_536;
    private const int MostEffort = 1_000_000;

    // The longest list of a walk, and the most hits of a search that is to end early.
    private const int MostList = 65_536;

    public bool WithScores { get; set; }

    public bool WithAttributes { get; set; }

    /// <summary>Scores are those of the metric itself.</summary>
    public bool IsRaw { get; set; }

    public int Count { get; set; } = DefaultCount;

    /// <summary>Most of half of the distance, which is 1 less the score; null for no bound.</summary>
    public double? Epsilon { get; set; }

    /// <summary>Length of the list of candidates; 0 to aim at the recall.</summary>
    public int Effort { get; set; }

    public bool IsExact { get; set; }

    public AttributeFilter? Filter { get; set; }

    /// <summary>Most elements that a filter looks at.</summary>
    public long FilterEffort { get; set; }

    public float? Recall { get; set; }

    public int? MostReads { get; set; }

    public TimeSpan? Deadline { get; set; }

    /// <summary>Whether the search is to go on.</summary>
    public bool IsCursor { get; set; }

    /// <summary>Receives the events of the search; null if they are not asked for.</summary>
    public SearchTrace? Trace { get; set; }

    /// <summary>Reads options to the end.</summary>
    /// <exception cref="CommandException">One is unknown or wrong.</exception>
    public static SimilarityArguments Read(Call call, int start)
    {
        var read = new SimilarityArguments();
        long filterEffort = 0;
        bool isAll = false;
        for (int at = start; at < call.Count; at++)
        {
            bool hasValue = at + 1 < call.Count;
            if (call.Command.Is(at, "NOTHREAD"))
                continue;
            if (call.Command.Is(at, "WITHSCORES"))
                read.WithScores = true;
            else if (call.Command.Is(at, "WITHATTRIBS"))
                read.WithAttributes = true;
            else if (call.Command.Is(at, "TRUTH"))
                read.IsExact = true;
            else if (call.Command.Is(at, "XFILTER-ALL"))
                isAll = true;
            else if (call.Command.Is(at, "XRAW"))
                read.IsRaw = true;
            else if (call.Command.Is(at, Tracing))
                read.Trace ??= new SearchTrace();
            else if (call.Command.Is(at, GoingOn))
                read.IsCursor = true;
            else if (!hasValue)
                throw Syntax();
            else if (call.Command.Is(at, "COUNT"))
                read.Count = ReadCount(call, ++at);
            else if (call.Command.Is(at, "EPSILON"))
                read.Epsilon = Number(call, ++at, 0, double.MaxValue, "EPSILON");
            else if (call.Command.Is(at, "EF"))
                read.Effort = (int)Integer(call, ++at, MostEffort, "EF");
            else if (call.Command.Is(at, "FILTER"))
                read.Filter = ParseFilter(call, ++at);
            else if (call.Command.Is(at, "FILTER-EF"))
                filterEffort = Integer(call, ++at, long.MaxValue, "FILTER-EF");
            else if (call.Command.Is(at, "XRECALL"))
                read.Recall = (float)Number(call, ++at, 0.5 - 1e-9, 0.9999, "XRECALL");
            else if (call.Command.Is(at, "XREADS"))
                read.MostReads = (int)Integer(call, ++at, int.MaxValue, "XREADS");
            else if (call.Command.Is(at, "XDEADLINE"))
                read.Deadline = TimeSpan.FromMilliseconds(Number(call, ++at, 0.001, 86_400_000, "XDEADLINE"));
            else
                throw Syntax();
        }

        if (read.Trace is not null && read.IsExact)
            throw new CommandException("ERR XTRACE: expected no TRUTH, which compares all vectors, found both");
        if (read.Trace is not null && read.IsCursor)
            throw new CommandException("ERR XTRACE: expected no XCURSOR, found both");
        read.FilterEffort = isAll || read.IsExact ? long.MaxValue
            : filterEffort > 0 ? filterEffort
            : (long)FilterEffortPerHit * read.Count;
        if (read.MostReads is not null || read.Deadline is not null)
            read.FilterEffort = Math.Min(read.FilterEffort, MostList);
        return read;
    }

    /// <summary>Whether a command asks for a trace. For a set that there is not, and whose options mean nothing.</summary>
    public static bool HasTrace(Call call) => Has(call, Tracing);

    /// <summary>Whether a command asks for a cursor.</summary>
    /// <inheritdoc cref="HasTrace"/>
    public static bool HasCursor(Call call) => Has(call, GoingOn);

    /// <summary>The score of a hit in the reply.</summary>
    /// <param name="score">As a collection gives it.</param>
    public readonly double ScoreOf(DistanceMetric metric, float score) => IsRaw ? score : ScoreScale.Of(metric, score);

    /// <summary>The options of the search in a collection.</summary>
    public readonly SearchOptions ToOptions(SearchOptions defaults, long elements)
    {
        if (IsExact)
            return new SearchOptions { Mode = SearchMode.Exact, Deadline = Deadline };

        // A filter goes on from search to search, each with more hits than the one before: its list is as long as they need.
        bool hasList = Effort > 0 && Filter is null;
        if (!hasList && Recall is null && MostReads is null && Deadline is null && Trace is null)
            return defaults;
        long list = Math.Max(Count, Math.Min(Effort, Math.Max(elements, 1)));
        return new SearchOptions
        {
            TargetRecall = hasList ? null : Recall ?? defaults.TargetRecall,
            Graph = hasList ? new GraphSearch { ListSize = (int)Math.Min(list, MostList) } : null,
            MaxReads = MostReads,
            Deadline = Deadline,
            Trace = Trace,
        };
    }

    /// <summary>The number of hits that an argument asks for.</summary>
    /// <exception cref="CommandException">It is none, or too large.</exception>
    public static int ReadCount(Call call, int index) => (int)Integer(call, index, MostCount, "COUNT");

    // Options come behind an element or a vector.
    private static bool Has(Call call, string option)
    {
        for (int at = 4; at < call.Count; at++)
        {
            if (call.Command.Is(at, option))
                return true;
        }

        return false;
    }

    private static long Integer(Call call, int index, long most, string name) =>
        call.TryInteger(index, out long value) && value >= 1 && value <= most ? value : throw new CommandException($"ERR invalid {name}");

    private static double Number(Call call, int index, double above, double most, string name) =>
        call.TryNumber(index, out double value) && value > above && value <= most
            ? value
            : throw new CommandException($"ERR invalid {name}");

    private static AttributeFilter ParseFilter(Call call, int index)
    {
        if (call.Command[index].Length > MostFilterBytes)
            throw new CommandException($"ERR FILTER: expected at most {MostFilterBytes} bytes, found {call.Command[index].Length}");
        try
        {
            return call.Server.Filters.Read(call.Command[index]);
        }
        catch (FilterSyntaxException e)
        {
            throw new CommandException("ERR " + e.Message);
        }
    }

    private static CommandException Syntax() => new("ERR syntax error in VSIM command");
}
