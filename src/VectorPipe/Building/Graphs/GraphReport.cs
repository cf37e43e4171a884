namespace VectorPipe.Building.Graphs;

/// <summary>What a graph build found and repaired.</summary>
internal sealed class GraphReport
{
    /// <summary>Points that were reachable from the entry before any repair.</summary>
    public int ReachableBeforeRepair { get; set; }

    /// <summary>Points that are reachable from the entry now; a finished build has all of them.</summary>
    public int Reachable { get; set; }

    /// <summary>Links added by the repair.</summary>
    public int LinksAdded { get; set; }

    /// <summary>Mean out-degree.</summary>
    public double MeanDegree { get; set; }

    /// <summary>Points of a sample that were searched for in the finished graph.</summary>
    public int Checked { get; set; }

    /// <summary>How many of those a search with L = 10 from the entry found, or a copy of them.</summary>
    public int FoundThemselves { get; set; }

    /// <summary><see cref="FoundThemselves"/> as a share of <see cref="Checked"/>, 0 to 1.</summary>
    public double FoundShare => Checked == 0 ? 0 : (double)FoundThemselves / Checked;

    /// <summary>Distances computed, approximately.</summary>
    public long Distances { get; set; }
}
